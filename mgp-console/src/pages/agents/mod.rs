//! The page of agents and hosts.

mod access;
mod connect;
mod doubt;
mod endpoint;
mod explain;
mod keys;
mod known;
mod limits;
mod matrix;
mod one;
mod overview;
mod people;
mod roles;
mod rule_form;
mod rule_outcome;
mod rules;
mod status;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use doubt::{RULE_DOUBT, rule_doubt};
pub(crate) use keys::made_key;
pub(crate) use rule_form::rule_links;
pub(crate) use rule_outcome::rule_outcome;
pub(crate) use view::agents;
