//! Servers that want an authorization: one client for all of them, which gets it in the way that the scenario is about.

mod oauth;
mod rights;

pub(super) use rights::authorized;
