//! Resources and templates that several servers list. Hosts reach those of the first server.

use crate::{
    ground::manifest_uri::MANIFEST_URI,
    upstream::{NamedEntry, Resources, Server, literal_beginning, servers::Servers},
};
use mgp_client_sdk::left_out::LeftOutEntries;
use mgp_types::lifecycle::ServerNotice;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

impl Servers {
    /// Returns the notices on all servers whose offers are changed for hosts.
    pub(crate) fn notices(&self) -> Vec<ServerNotice> {
        let mut notices = self.resource_overlaps();
        for server in self.load().iter() {
            let of_server = server.warnings.odd_entries().into_iter();
            notices.extend(of_server.map(|text| ServerNotice { server_id: server.id().to_owned(), text }));
        }
        notices
    }

    /// Returns one notice for each server with resources or templates that hosts reach at an earlier server, because that server lists
    /// them, too.
    pub(crate) fn resource_overlaps(&self) -> Vec<ServerNotice> {
        let servers = self.load();
        let offering = servers.iter().filter(|server| offers_to_all(server));
        overlaps(&offering.map(|server| (server.id(), server.offers.resources())).collect::<Vec<_>>())
    }

    /// Warns of each server whose resources are reached at an earlier one, once for each set of them.
    pub(crate) fn warn_of_resource_overlaps(&self) {
        let notices = self.resource_overlaps();
        for server in self.load().iter() {
            let notice = notices.iter().find(|notice| notice.server_id == server.id());
            let text = notice.map(|notice| notice.text.as_str()).unwrap_or_default();
            server.warnings.overlap(text);
        }
    }
}

/// Returns whether a server's resources may be shown to more than one session.
fn offers_to_all(server: &Server) -> bool {
    server.spec.session.is_none() && server.spec.instance_of.is_none() && server.current_greeting().is_some()
}

/// Returns the notices on the servers' lists, in the order in which servers are searched for a resource.
fn overlaps(listings: &[(&str, Arc<Resources>)]) -> Vec<ServerNotice> {
    let mut resources: HashMap<&str, &str> = HashMap::new();
    let (mut templates, mut beginnings) = (HashMap::new(), HashMap::new());
    let mut notices = Vec::new();
    for (id, listed) in listings {
        let mut elsewhere = LeftOutEntries::of("resource");
        for (place, resource) in listed.resources.iter().enumerate() {
            if resource.name == MANIFEST_URI {
                elsewhere.add(Some(MANIFEST_URI), place, &"the gateway itself has it");
            } else if let Some(first) = earlier(&mut resources, &resource.name, id) {
                elsewhere.add(Some(&resource.name), place, &format!("server `{first}` lists it too"));
            }
        }
        for (place, template) in listed.templates.iter().enumerate() {
            if let Some(reason) = template_overlap(&mut templates, &mut beginnings, template, id) {
                elsewhere.add(Some(&template.name), place, &reason);
            }
        }
        if elsewhere.count() > 0 {
            let count = elsewhere.count();
            let noun = if count == 1 { "resource or template" } else { "resources and templates" };
            let text = format!(
                "server `{id}`: {count} {noun} that an agent with a grant for both servers reaches at the one named: {elsewhere}"
            );
            notices.push(ServerNotice { server_id: (*id).to_owned(), text });
        }
    }
    notices
}

/// Returns the reason why URIs of a template reach an earlier server, if they do.
fn template_overlap<'a>(
    templates: &mut HashMap<&'a str, &'a str>,
    beginnings: &mut HashMap<&'a str, &'a str>,
    template: &'a NamedEntry,
    id: &'a str,
) -> Option<String> {
    let same = earlier(templates, &template.name, id);
    let beginning = literal_beginning(&template.name);
    let alike = beginning.and_then(|beginning| earlier(beginnings, beginning, id));
    match (same, alike, beginning) {
        (Some(first), ..) => Some(format!("server `{first}` has the same template")),
        (None, Some(first), Some(beginning)) => {
            Some(format!("a template of server `{first}` begins with {beginning} too"))
        }
        _ => None,
    }
}

/// Returns the first server with a key, if it is another one than `id`. If no server has the key yet, assigns it to
/// `id`.
fn earlier<'a>(known: &mut HashMap<&'a str, &'a str>, key: &'a str, id: &'a str) -> Option<&'a str> {
    match known.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(id);
            None
        }
        Entry::Occupied(first) => Some(*first.get()).filter(|first| *first != id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::RawJson;

    fn listed(resources: &[&str], templates: &[&str]) -> Arc<Resources> {
        let entry =
            |name: &&str| NamedEntry { name: (*name).to_owned(), definition: RawJson::empty_object() };
        Arc::new(Resources {
            resources: resources.iter().map(entry).collect(),
            templates: templates.iter().map(entry).collect(),
        })
    }

    #[test]
    fn a_name_that_an_earlier_server_lists_is_reported_with_it() {
        let notices = overlaps(&[
            ("a", listed(&["x://1", "x://1", "a://own"], &["x://t/{id}", "{+path}"])),
            ("b", listed(&["x://1", "b://own", MANIFEST_URI], &["x://t/{id}", "x://t/{name}/y", "{+path}"])),
            ("c", listed(&["c://own"], &["x://t/deep/{id}", "x://{id}"])),
            ("d", listed(&["b://own"], &[])),
        ]);
        let texts: Vec<_> = notices.iter().map(|notice| notice.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "server `b`: 5 resources and templates that an agent with a grant for both servers reaches at the one named: \
                 \"x://1\" (server `a` lists it too), \"mgp://manifest\" (the gateway itself has it), \
                 \"x://t/{id}\" (server `a` has the same template), \
                 \"x://t/{name}/y\" (a template of server `a` begins with x://t/ too), \
                 \"{+path}\" (server `a` has the same template)",
                "server `d`: 1 resource or template that an agent with a grant for both servers reaches at the one named: \
                 \"b://own\" (server `b` lists it too)",
            ]
        );
        assert_eq!(notices.iter().map(|notice| &*notice.server_id).collect::<Vec<_>>(), ["b", "d"]);
    }
}
