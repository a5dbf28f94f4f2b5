//! The rows: one file for each group.

mod all;
mod all_servers;
mod apps;
mod ask;
mod check;
mod compatibility;
mod examples;
mod fixture;
mod hosts;
mod in_front;
mod live;
mod metrics;
mod object_store;
mod odd;
mod offers;
mod parsers;
mod proposals;
mod request;
mod rest;

pub(crate) use all::rows;
