//! The address at which hosts with a key reach the gateway.

use crate::page::{Context, Nav, command_box};
use maud::{Markup, html};
use serde::Deserialize;

/// The answer of `mgp config show`, as far as the page shows it.
#[derive(Debug, Deserialize)]
struct Configuration {
    files: Vec<File>,
}

/// A file of the configuration.
#[derive(Debug, Deserialize)]
struct File {
    name: String,
    text: String,
}

/// Writes the address, or that HTTP is not served. Writes nothing if the configuration cannot be read.
pub(super) async fn endpoint(context: &Context) -> Markup {
    let words = &context.texts.agents;
    let Ok(read) = context.read::<Configuration>(&["config", "show", "--masked"]).await else {
        return html! {};
    };
    let file = read.files.iter().find(|file| file.name == "configuration");
    let table = file.and_then(|file| file.text.parse::<toml::Table>().ok());
    html! {
        @match table.as_ref().and_then(address) {
            Some(address) => {
                p { (words.endpoint) }
                (command_box(context, &words.endpoint, &address))
            }
            None => { p .notice { (words.no_endpoint) " " a href=(Nav::Settings.path()) { (context.texts.nav.settings) } } }
        }
    }
}

/// Returns the public address if there is one, and otherwise that of `http.listen`.
fn address(configuration: &toml::Table) -> Option<String> {
    let http = configuration.get("http")?;
    let public = http.get("oauth").and_then(|oauth| oauth.get("resource")?.as_str());
    let listen = http.get("listen")?.as_str()?;
    Some(public.map_or_else(|| format!("http://{listen}/mcp"), str::to_owned))
}

#[cfg(test)]
mod tests {
    use crate::{operator::OperatorRole, testing::TestConsole};

    #[tokio::test]
    async fn the_address_of_hosts_is_that_of_the_configuration() {
        for (text, expected) in [
            ("[http]\nlisten = \"127.0.0.1:7433\"", "http://127.0.0.1:7433/mcp"),
            (
                "[http]\nlisten = \"127.0.0.1:7433\"\n[http.oauth]\nresource = \"https://tools.example.com/mcp\"",
                "<code>https://tools.example.com/mcp</code>",
            ),
            ("[kernel]", "HTTP is not served"),
        ] {
            let shown = serde_json::json!({"files": [{"name": "configuration", "text": text}]}).to_string();
            let answers = [("keys list", "{}"), ("config show", shown.as_str())];
            let console = TestConsole::new(OperatorRole::Viewer, &answers);
            let (_, page) = console.get("/agents?view=keys").await;
            assert!(page.contains(expected), "{text}: {page}");
        }
    }
}
