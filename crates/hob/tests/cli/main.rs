//! `hob` as people and programs run it.

mod alike;
mod answers;
mod convert;
mod crdt;
mod docs;
mod explore;
mod files;
mod first;
mod follow;
mod generate;
mod golden;
mod hostile;
mod hostile_text;
mod levels;
mod limits;
mod pages;
mod protocol;
mod prove;
mod run;
mod schema;
#[path = "../support/serving.rs"]
mod serving;
mod tables;
#[path = "../support/valid.rs"]
mod valid;
