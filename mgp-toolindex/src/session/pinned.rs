//! The tools that every session always has.

use crate::catalogue::{CatalogueView, NamedTool};
use mgp_transport::seam::ToolView;
use mgp_types::context::ToolId;
use std::{collections::HashSet, sync::Arc};

/// The names of the pinned tools: names that tools are shown under, or `server__tool`. A clone is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PinnedTools(Arc<HashSet<String>>);

impl<N: Into<String>> FromIterator<N> for PinnedTools {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Self {
        Self(Arc::new(names.into_iter().map(Into::into).collect()))
    }
}

impl PinnedTools {
    /// Returns whether nothing is pinned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the tools that the names refer to at this moment.
    #[must_use]
    pub fn ids<'c>(&self, catalogue: &'c CatalogueView) -> HashSet<&'c ToolId> {
        self.0.iter().filter_map(|name| catalogue.resolve(name)).collect()
    }

    /// Returns the pinned tools that a view shows, sorted by name.
    #[must_use]
    pub fn tools(&self, catalogue: &CatalogueView, view: &dyn ToolView) -> Vec<NamedTool> {
        let seen = self.ids(catalogue).into_iter().filter(|id| view.sees(id));
        let mut tools: Vec<_> = seen.filter_map(|id| catalogue.named(id)).collect();
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        tools
    }
}
