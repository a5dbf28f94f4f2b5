//! Servers that require authorization: one client for all of them, which obtains it in the way that the scenario tests.

mod oauth;
mod rights;

pub(super) use rights::authorized;
