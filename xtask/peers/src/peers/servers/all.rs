//! Every server of the tables.

use super::{ServerPeer, node, products, python};

/// Returns every server, those that start slowly first.
pub(crate) fn all() -> impl Iterator<Item = &'static ServerPeer> {
    [products::SERVERS, python::SERVERS, node::SERVERS].into_iter().flatten()
}

/// Returns a server of the tables.
pub(crate) fn server(id: &str) -> Result<&'static ServerPeer, String> {
    all().find(|server| server.id == id).ok_or_else(|| format!("no server is named {id}"))
}

#[cfg(test)]
mod tests {
    use super::super::{Eras, Transport};
    use super::*;
    use crate::{install::Package, json::Normal};
    use std::collections::HashSet;

    #[test]
    fn every_server_has_a_unique_id_and_probes_with_objects() {
        let ids: HashSet<_> = all().map(|server| server.id).collect();
        assert_eq!(ids.len(), all().count());
        for server in all() {
            assert!(server.probes.len() <= server.tools, "{}", server.id);
            for probe in server.probes {
                assert!(matches!(Normal::parse(probe.arguments), Ok(Normal::Object(_))), "{}", probe.tool);
            }
        }
    }

    #[test]
    fn only_servers_of_products_are_not_called() {
        let silent: Vec<_> =
            all().filter(|server| server.probes.is_empty()).map(|server| server.id).collect();
        assert_eq!(silent, products::SERVERS.iter().map(|server| server.id).collect::<Vec<_>>());
    }

    #[test]
    fn no_sentence_is_just_the_name_of_its_tool() {
        for probe in all().flat_map(|server| server.probes) {
            let words: HashSet<_> = probe.sentence.split(' ').collect();
            let name: HashSet<_> = probe.tool.split(['_', '-']).collect();
            assert!(!words.contains(probe.tool) && words != name && words.len() > 2, "{}", probe.sentence);
        }
    }

    #[test]
    fn every_transport_is_used_and_http_in_both_eras() {
        let spoken: Vec<_> = all().map(|server| (server.transport, server.eras)).collect();
        for wanted in [
            (Transport::Stdio, Eras::Initialize),
            (Transport::Stdio, Eras::Both),
            (Transport::Http, Eras::Initialize),
            (Transport::Http, Eras::Both),
            (Transport::HttpSse, Eras::Initialize),
        ] {
            assert!(spoken.contains(&wanted), "{wanted:?}");
        }
    }

    #[test]
    fn every_installed_server_is_in_the_tables() {
        let packages: HashSet<_> = all().map(|server| server.package).collect();
        let others = [
            Package::Inspector1,
            Package::Inspector2,
            Package::TypescriptSdk,
            Package::Node22,
            Package::PythonSdk1,
            Package::PythonSdk2,
            Package::OpenapiTypescript,
            Package::OpenapiFetch,
            Package::Typescript,
            Package::OpenapiValidator,
            Package::S3rver,
            Package::AppBasic,
            Package::AppMonitor,
        ];
        for package in Package::ALL {
            assert!(packages.contains(&package) != others.contains(&package), "{package:?}");
        }
    }
}
