//! The MySQL codec against what MariaDB sends, against clients, and against bytes that nobody should send.
//!
//! `recordings/` is what MariaDB 10.11 and its clients said to each other. `programs/` are the programs of the clients; each runs
//! against MariaDB, where it is installed, and against a server made of the codec that answers as MariaDB did, and both times has to
//! print the same. `HOB_BLESS=1` writes the recordings and what the programs print anew.

mod canned;
mod clients;
mod commands;
mod entrance;
mod exchange;
mod hostile;
mod logins;
mod mariadb;
mod packet;
mod packets;
mod proxy;
mod raw;
mod reader;
mod recorded;
mod recording;
mod reply;
mod values;
