//! Makes the list of tools that a host gets.

use super::Exposure;
use crate::{
    catalogue::{CatalogueView, NamedTool},
    meta_tools,
};
use mgp_transport::seam::ToolView;
use mgp_types::json::{RawJson, RawObject};
use std::collections::HashSet;

/// How a host is shown tools.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Which tools.
    pub exposure: Exposure,
    /// What `hybrid` always shows: names that tools are shown under, or `server__tool`.
    pub pinned: HashSet<String>,
    /// Whether the host negotiated the security extension. A plain MCP host gets no `security` and no `_mgp`.
    pub with_security: bool,
}

/// The definitions that a caller's host gets: meta-tools first, then servers' tools in the catalogue's order.
#[must_use]
pub fn list(catalogue: &CatalogueView, view: &dyn ToolView, listing: &Listing) -> Vec<RawJson> {
    let meta = match listing.exposure {
        Exposure::Full => &[][..],
        Exposure::Hybrid | Exposure::Discovery => meta_tools::definitions(),
    };
    let shown = |named: &NamedTool| match listing.exposure {
        Exposure::Full => true,
        Exposure::Hybrid => is_pinned(named, &listing.pinned),
        Exposure::Discovery => false,
    };
    let tools = catalogue.iter().filter(|named| shown(named) && view.sees(named.tool.id()));
    meta.iter().cloned().chain(tools.map(|named| definition(&named, listing.with_security))).collect()
}

fn is_pinned(named: &NamedTool, pinned: &HashSet<String>) -> bool {
    let id = named.tool.id();
    pinned.contains(&*named.name) || pinned.contains(&format!("{}__{}", id.server_id, id.tool_name))
}

/// A tool as a host is shown it.
fn definition(named: &NamedTool, with_security: bool) -> RawJson {
    let mut definition: RawObject = named.tool.definition().clone();
    definition.insert("name", RawJson::from(&*named.name));
    if with_security {
        if let Ok(security) = RawJson::from_value(&named.tool.shown_security()) {
            definition.insert("security", security);
        }
    } else {
        definition.remove("security");
        definition.remove("_mgp");
    }
    definition.to_json()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalogue::Catalogue,
        fixtures::{FILES, Only, WEB, tools},
    };
    use mgp_transport::seam::Everything;
    use mgp_types::context::RiskLevel;
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
    async fn each_mode_shows_what_it_says() {
        let catalogue = catalogue().await;
        let pinned =
            HashSet::from(["fetchPage".to_owned(), "files__read_file".to_owned(), "read".to_owned()]);
        let shown = |exposure, view: &dyn ToolView| {
            names(&list(
                &catalogue,
                view,
                &Listing { exposure, pinned: pinned.clone(), with_security: false },
            ))
        };
        let all = ["read_file", "write_file", "list_directory", "fetchPage", "web__read_file"];
        let meta = ["mgp_tools_discover", "mgp_tools_call"];
        assert_eq!(shown(Exposure::Full, &Everything), all);
        assert_eq!(shown(Exposure::Discovery, &Everything), meta);
        assert_eq!(shown(Exposure::Hybrid, &Everything), [&meta[..], &["read_file", "fetchPage"]].concat());
        let few = Only::these(&["files.read_file", "web.read_file"]);
        assert_eq!(shown(Exposure::Full, &few), ["read_file", "web__read_file"]);
        assert_eq!(shown(Exposure::Hybrid, &few), [&meta[..], &["read_file"]].concat());
    }

    #[tokio::test]
    async fn a_plain_host_gets_no_security_metadata() {
        let catalogue = catalogue().await;
        let listing =
            |with_security| Listing { exposure: Exposure::Full, with_security, ..Listing::default() };
        let plain = list(&catalogue, &Everything, &listing(false));
        assert!(plain.iter().all(|tool| !tool.as_str().contains("security")));
        let mgp = list(&catalogue, &Everything, &listing(true));
        assert!(mgp.iter().all(|tool| tool.as_str().contains(r#""effective_risk_level":"moderate""#)));
    }
}
