//! The actions of the page of settings.

use super::action::Action;

/// The actions of the page.
pub(super) const ALL: &[&Action] = &[];
