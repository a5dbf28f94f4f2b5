//! Builds a host's list of tools.

use super::Exposure;
use crate::{
    catalogue::{CatalogueView, NamedTool},
    categories::count,
    meta_tools,
    session::PinnedTools,
};
use mgp_transport::seam::ToolView;
use mgp_types::{context::ToolId, json::RawJson};
use std::collections::HashSet;

/// The way in which `hybrid` lists the tools of a caller that may call few of them. Few tools are those that [take fewer
/// tokens](super::take_fewer) than the meta-tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DirectListing {
    /// The tools are found by the meta-tools, as if they were many.
    #[default]
    Off,
    /// All of them are listed with the meta-tools, which may find more.
    BesideMetaTools,
    /// All of them are listed instead of the meta-tools, which would find no more.
    WithoutMetaTools,
}

/// The settings for a host's list of tools.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListSettings {
    /// The exposure mode, which selects the tools.
    pub exposure: Exposure,
    /// The way in which `hybrid` lists the tools of a caller that may call few.
    pub direct: DirectListing,
    /// The tools that `hybrid` always shows: names that tools are shown under, or `server__tool`.
    pub pinned: PinnedTools,
    /// The tools that `hybrid` shows in addition to the pinned ones: those that the session has loaded or used.
    pub cached: HashSet<ToolId>,
    /// True if the host negotiated the security extension. A plain MCP host receives no `security` and no `_mgp`.
    pub with_security: bool,
    /// True if the host has no session, and names one in arguments.
    pub with_handles: bool,
    /// True if the host negotiated tools that are created from its agent's code.
    pub with_creation: bool,
}

/// Returns the definitions for a caller's host: meta-tools first, then servers' tools in the catalogue's order.
#[must_use]
pub fn list(catalogue: &CatalogueView, view: &dyn ToolView, listing: &ListSettings) -> Vec<RawJson> {
    let without_meta = listing.direct == DirectListing::WithoutMetaTools && !listing.with_creation;
    let meta = match listing.exposure {
        Exposure::Full => &[][..],
        Exposure::Hybrid if without_meta => &[][..],
        Exposure::Hybrid | Exposure::Category | Exposure::Discovery => {
            meta_tools::definitions(listing.with_handles)
        }
    };
    let pinned = listing.pinned.ids(catalogue);
    let shown = |named: &NamedTool| match listing.exposure {
        Exposure::Full => true,
        Exposure::Hybrid => {
            listing.direct != DirectListing::Off
                || pinned.contains(named.tool.id())
                || listing.cached.contains(named.tool.id())
        }
        Exposure::Category | Exposure::Discovery => false,
    };
    let tools = catalogue.iter().filter(|named| shown(named) && view.sees(named.tool.id()));
    let mut meta = meta.to_vec();
    if listing.with_creation {
        meta_tools::say_creation(&mut meta);
    }
    if listing.exposure == Exposure::Category {
        let seen: Vec<_> = catalogue.iter().filter(|named| view.sees(named.tool.id())).collect();
        meta_tools::say_categories(&mut meta, &count(seen.iter().map(|named| &*named.tool), &[]));
    }
    meta.into_iter()
        .chain(tools.map(|named| named.tool.shown_as(&named.name, listing.with_security)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalogue::Catalogue,
        fixtures::{FILES, FewTools, WEB, tools},
    };
    use mgp_transport::seam::FullVisibility;
    use mgp_types::{context::RiskLevel, json::RawObject};
    use std::sync::Arc;

    async fn catalogue() -> Arc<CatalogueView> {
        let catalogue = Catalogue::new(["files", "web"]).unwrap();
        for (id, definitions) in [("files", FILES), ("web", WEB)] {
            let tools =
                tools(id, definitions, RiskLevel::Moderate).iter().map(|tool| (**tool).clone()).collect();
            catalogue.update_server(id, tools).await.unwrap();
        }
        catalogue.view()
    }

    fn names(list: &[RawJson]) -> Vec<String> {
        list.iter().map(|tool| RawObject::from_json(tool).unwrap().text("name").unwrap()).collect()
    }

    #[tokio::test]
    async fn each_mode_shows_its_tools() {
        let catalogue = catalogue().await;
        let pinned: PinnedTools = ["fetchPage", "files__read_file", "read"].into_iter().collect();
        let cached = HashSet::from([ToolId::new("files", "write_file")]);
        let listing = |exposure| ListSettings {
            exposure,
            pinned: pinned.clone(),
            cached: cached.clone(),
            ..ListSettings::default()
        };
        let shown = |exposure, view: &dyn ToolView| names(&list(&catalogue, view, &listing(exposure)));
        let all = ["read_file", "write_file", "list_directory", "fetchPage", "web__read_file"];
        let meta = meta_tools::NAMES;
        assert_eq!(shown(Exposure::Full, &FullVisibility), all);
        assert_eq!(shown(Exposure::Discovery, &FullVisibility), meta);
        assert_eq!(shown(Exposure::Category, &FullVisibility), meta);
        let hybrid = [&meta[..], &["read_file", "write_file", "fetchPage"]].concat();
        assert_eq!(shown(Exposure::Hybrid, &FullVisibility), hybrid);
        let few = FewTools::these(&["files.read_file", "web.read_file"]);
        assert_eq!(shown(Exposure::Full, &few), ["read_file", "web__read_file"]);
        assert_eq!(shown(Exposure::Hybrid, &few), [&meta[..], &["read_file"]].concat());
    }

    #[tokio::test]
    async fn a_few_tools_are_all_listed_with_or_without_search() {
        let catalogue = catalogue().await;
        let all = ["read_file", "write_file", "list_directory", "fetchPage", "web__read_file"];
        let meta = meta_tools::NAMES;
        let shown = |direct, with_creation| {
            let listing =
                ListSettings { exposure: Exposure::Hybrid, direct, with_creation, ..ListSettings::default() };
            names(&list(&catalogue, &FullVisibility, &listing))
        };
        assert_eq!(shown(DirectListing::Off, false), meta);
        assert_eq!(shown(DirectListing::BesideMetaTools, false), [&meta[..], &all].concat());
        assert_eq!(shown(DirectListing::WithoutMetaTools, false), all);
        assert_eq!(
            shown(DirectListing::WithoutMetaTools, true),
            [&meta[..], &all].concat(),
            "it makes tools"
        );
    }

    #[tokio::test]
    async fn by_category_the_search_lists_the_caller_s_categories() {
        let catalogue = catalogue().await;
        let listing = ListSettings { exposure: Exposure::Category, ..ListSettings::default() };
        let said = |view: &dyn ToolView| {
            let discover = RawObject::from_json(&list(&catalogue, view, &listing)[0]).unwrap();
            discover.text("description").unwrap()
        };
        let all = said(&FullVisibility);
        assert!(all.contains(": files 3, filesystem 2, web 2. To look"), "{all}");
        let few = said(&FewTools::these(&["files.read_file"]));
        assert!(few.contains(": files 1, filesystem 1. To look"), "{few}");
        assert!(!said(&FewTools::these(&[])).contains("categories, each"));
    }

    #[tokio::test]
    async fn a_plain_host_gets_no_security_metadata() {
        let catalogue = catalogue().await;
        let listing = |with_security| ListSettings {
            exposure: Exposure::Full,
            with_security,
            ..ListSettings::default()
        };
        let plain = list(&catalogue, &FullVisibility, &listing(false));
        assert!(plain.iter().all(|tool| !tool.as_str().contains("security")));
        let mgp = list(&catalogue, &FullVisibility, &listing(true));
        assert!(mgp.iter().all(|tool| tool.as_str().contains(r#""effective_risk_level":"moderate""#)));
    }
}
