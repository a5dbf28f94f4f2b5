//! The actions of the page of trail.

use super::action::Action;

/// The actions of the page.
pub(super) const ALL: &[&Action] = &[];
