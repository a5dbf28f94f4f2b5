//! Bench `console`: the time in which the console answers with each of its pages, with 100 servers, 10,000 tools, a million events and 50 calls a
//! second, while five consoles are open. And the time of a call with and without these consoles.

mod browser;
mod calls;
mod events;
mod pages;
mod rows;
mod run;
mod server;

pub(crate) use run::run;
pub(crate) use server::serve_tools;
