//! The page of agents and hosts.

mod access;
mod connect;
mod explain;
mod keys;
mod limits;
mod matrix;
mod one;
mod overview;
mod people;
mod roles;
mod rules;
mod status;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use keys::made_key;
pub(crate) use view::agents;
