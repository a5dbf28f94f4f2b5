//! Pages of server registries: reading stays within bounds, and the configuration made from an entry loads and reads only the
//! variables that the entry names.

use mgp_discovery::{
    config::Config,
    public_registry::{Page, snippet, ways},
};

pub(super) fn run(data: &[u8]) {
    let Ok(page) = Page::parse(data) else { return };
    for entry in &page.entries {
        for way in ways(entry).into_iter().flatten() {
            let text = snippet(entry, &way, &way.server.id).expect("a way can be written");
            let named =
                |name: &str| way.needs.iter().any(|need| need.variable == name).then(|| "x".to_owned());
            let config = Config::parse("x".as_ref(), text.as_bytes(), &named);
            let config = config.unwrap_or_else(|error| panic!("{error:?}: {text}"));
            assert_eq!(config.servers.len(), 1, "{text}");
            let program = config.servers[0].command.as_ref().map(|command| command.value().to_owned());
            let runners = ["npx", "uvx", "dnx", "docker"];
            assert!(program.is_none_or(|program| runners.contains(&program.as_str())), "{text}");
        }
    }
}
