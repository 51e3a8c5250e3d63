// SPDX-License-Identifier: GPL-2.0-or-later
//! Counts the lines of a file, and those that begin with "WAIT #".
use std::{env, fs::File, io::Read};

fn main() -> std::io::Result<()> {
    let mut file = File::open(env::args().nth(1).expect("a file"))?;
    let mut block = vec![0u8; 4 << 20];
    let (mut kept, mut lines, mut waits) = (0, 0u64, 0u64);
    loop {
        let count = file.read(&mut block[kept..])?;
        if count == 0 {
            break;
        }
        let filled = kept + count;
        let mut at = 0;
        while let Some(end) = memchr::memchr(b'\n', &block[at..filled]) {
            lines += 1;
            waits += block[at..at + end].starts_with(b"WAIT #") as u64;
            at += end + 1;
        }
        block.copy_within(at..filled, 0);
        kept = filled - at;
    }
    println!("{lines} {waits}");
    Ok(())
}
