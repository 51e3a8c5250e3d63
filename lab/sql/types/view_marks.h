// SPDX-License-Identifier: GPL-2.0-or-later
// The names of the user's views, synonyms and clusters in SQLite; see
// emit/views.c and emit/clusters.c.
#ifndef ORALAB_VIEW_MARKS_H
#define ORALAB_VIEW_MARKS_H

// A public synonym's name begins with this.
#define PUBLIC_SYNONYM "sqlite public "
// A cluster's begins with this: it may be called as a table is.
#define CLUSTER_NAME "sqlite cluster "
// An index begins with this that keeps a table in its cluster; then come the
// table's number in the cluster and the number of the key's columns, of two
// digits each, and the cluster's name, with a blank before each of the three.
#define CLUSTER_INDEX "sqlite clustered"
// The first columns.
#define VIEW_MARK "ORACLE$VIEW"
#define SYNONYM_MARK "ORACLE$SYNONYM"
#define CLUSTER_MARK "ORACLE$CLUSTER"

#endif
