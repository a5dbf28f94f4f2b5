//! The page of the present: servers, hosts, what waits, and calls as they happen.

mod hosts;
mod line;
mod live;
mod report;
mod span;
#[cfg(test)]
mod tests;
mod traffic;
mod view;

pub(crate) use line::live_line;
pub(crate) use view::now;
