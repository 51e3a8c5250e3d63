// SPDX-License-Identifier: GPL-2.0-or-later

// Package connect opens go-ora's databases for the scenario client and the load client.
package connect

import (
	"database/sql"
	"net"
	"runtime/debug"
	"strconv"
	"strings"

	goora "github.com/sijms/go-ora/v2"
)

// How a request says to connect.
type How struct {
	DSN        string `json:"dsn"`
	User       string `json:"user"`
	Password   string `json:"password"`
	DisableOOB bool   `json:"disable_oob"`
	FetchSize  int    `json:"fetch_size"`
	Wallet     string `json:"wallet"`
}

// Open returns a database whose connections are made as `how` says.
func Open(how How) (*sql.DB, error) {
	server, service, _ := strings.Cut(how.DSN, "/")
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	options := map[string]string{}
	if !how.DisableOOB {
		options["ENABLE_OOB"] = "true" // it takes any value for yes
	}
	if how.FetchSize > 0 {
		options["PREFETCH_ROWS"] = strconv.Itoa(how.FetchSize)
	}
	if how.Wallet != "" {
		// It reads no PEM files, so whose certificate it is remains unchecked.
		options["SSL"] = "true"
		options["SSL VERIFY"] = "false"
	}
	return sql.Open("oracle", goora.BuildUrl(host, number, service, how.User, how.Password, options))
}

// Version of go-ora that this program was built with.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if strings.Contains(module.Path, "go-ora") {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}
