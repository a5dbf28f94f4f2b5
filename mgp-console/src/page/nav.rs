//! The pages in the order of the navigation.

use crate::texts::Texts;

/// A page of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nav {
    Now,
    Approvals,
    Servers,
    Tools,
    Agents,
    Trail,
    Settings,
}

impl Nav {
    pub(crate) const ALL: [Self; 7] =
        [Self::Now, Self::Approvals, Self::Servers, Self::Tools, Self::Agents, Self::Trail, Self::Settings];

    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Now => "/now",
            Self::Approvals => "/approvals",
            Self::Servers => "/servers",
            Self::Tools => "/tools",
            Self::Agents => "/agents",
            Self::Trail => "/trail",
            Self::Settings => "/settings",
        }
    }

    pub(crate) fn name(self, texts: &Texts) -> &str {
        let names = &texts.nav;
        match self {
            Self::Now => &names.now,
            Self::Approvals => &names.approvals,
            Self::Servers => &names.servers,
            Self::Tools => &names.tools,
            Self::Agents => &names.agents,
            Self::Trail => &names.trail,
            Self::Settings => &names.settings,
        }
    }
}
