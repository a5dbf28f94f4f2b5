//! Texts without keys, for people who may read the rest.

mod key;
mod text;

pub(crate) use key::{looks_like_key, split_scheme};
pub(crate) use text::{masked_in_place, masked_message, masked_text};
