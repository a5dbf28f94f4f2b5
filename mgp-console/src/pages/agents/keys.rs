//! Keys of hosts that connect over HTTP.

use super::{
    access::{Key, KeyList},
    endpoint::endpoint,
    rule_form::ALLOW,
};
use crate::{
    actions::{ADD_KEY, REVOKE_KEY, ROTATE_KEY},
    commands::CommandError,
    form::{address, link},
    page::{
        Context, Nav, Part, Submit, action_form, command_box, element_id, foreign, sentence, term_fields,
        time,
    },
};
use futures_util::future::join;
use maud::{Markup, html};
use mgp_types::lifecycle::OperatorRole;
use serde::Deserialize;

/// Writes the keys, and the form that makes one. The text of a new key comes below the form, where its button is.
pub(super) async fn keys(context: &Context) -> Result<Markup, CommandError> {
    let list = context.read::<KeyList>(&["keys", "list"]);
    let (list, endpoint) = join(list, endpoint(context)).await;
    let list = list?;
    let words = &context.texts.agents;
    Ok(html! {
        h2 { (words.keys) }
        p .quiet { (words.keys_help) }
        (endpoint)
        @if list.keys.is_empty() { p .empty { strong { (words.no_keys) } " " (words.no_keys_help) } }
        @else { (key_table(context, &list.keys)) }
        (add(context))
        div #made-key data-focus="" {}
    })
}

/// Writes a table of keys.
pub(super) fn key_table(context: &Context, keys: &[Key]) -> Markup {
    let words = &context.texts.agents;
    let part = Part::of(context, keys, "keys");
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.keys) { table {
            thead { tr {
                th scope="col" { (words.key_name) } th scope="col" { (words.agent) } th scope="col" { (words.key_may) }
                th scope="col" { (words.made) } th scope="col" { (words.ends) } th scope="col" { (words.last_used) } th scope="col" { (words.change) }
            } }
            tbody { @for (at, key) in part.rows.iter().enumerate() { (row(context, key, at, is_replaced(key, keys))) } }
        } }
        (part.links(context, Nav::Agents.path(), "keys"))
    }
}

/// Returns whether another key has taken the place of this one. It is revoked together with that key.
fn is_replaced(key: &Key, keys: &[Key]) -> bool {
    keys.iter().any(|other| other.name == key.name && other.created_at > key.created_at)
}

fn row(context: &Context, key: &Key, at: usize, is_replaced: bool) -> Markup {
    let words = &context.texts.agents;
    let [heading, rotate, revoke] = ["key", "rotate", "revoke"].map(|name| element_id(name, &at.to_string()));
    html! {
        tr {
            th scope="row" id=(heading) { (foreign(&key.name)) }
            td { a href=(link(Nav::Agents.path(), "agent", &key.agent)) { (foreign(&key.agent)) } }
            td {
                @if let Some(role) = key.console { (words.opens_console.replace("{role}", role.as_str())) }
                @else if key.admin { strong { (words.administers) } }
                @else if key.scopes.is_empty() { (words.all_of_agent) }
                @else { @for scope in &key.scopes { (foreign(scope)) " " } }
            }
            td { @if key.created_at.is_empty() { (words.in_configuration) } @else { (time(&key.created_at)) } }
            td {
                @if let Some(end) = &key.expires_at { (time(end)) } @else { (words.never) }
                @if key.expired { " " span .state data-state="FAILURE" { (words.expired) } }
            }
            td { @if let Some(used) = &key.last_used { (time(used)) } @else if !key.configured { (words.not_used) } }
            td {
                @if key.configured { span .quiet { (words.change_in_settings) } }
                @else if is_replaced { span .quiet { (words.replaced) } }
                @else {
                    form .inline {
                        input type="hidden" name="name" value=(key.name);
                        div .buttons {
                            @if !key.expired {
                                (Submit::new(&ROTATE_KEY, &words.rotate).named_by(&rotate, &heading).asks(&words.rotate_question)
                                    .answers_in(place(context)).show(context))
                            }
                            (Submit::new(&REVOKE_KEY, &words.revoke).named_by(&revoke, &heading).asks(&words.revoke_key_question).show(context))
                        }
                    }
                }
            }
        }
    }
}

/// Returns the id of the place of a new key's text: the page of one agent has none of its own.
fn place(context: &Context) -> &'static str {
    if context.query.one("view") == Some("keys") { "made-key" } else { "messages" }
}

fn add(context: &Context) -> Markup {
    let words = &context.texts.agents;
    let terms = &context.texts.approvals;
    let choices = [
        ("always", terms.term_always.as_str()),
        ("midnight", &terms.term_midnight),
        ("7d", &terms.term_7d),
        ("30d", &terms.term_30d),
        ("90d", &terms.term_90d),
    ];
    let fields = html! {
        p { label for="key-name" { (words.key_name) } input #key-name name="name" required maxlength="256" autocomplete="off"; }
        p { label for="key-agent" { (words.agent) } input #key-agent name="agent" autocomplete="off" aria-describedby="key-agent-help"; }
        p #key-agent-help .quiet { (words.key_agent_help) }
        p { label for="key-scope" { (words.scopes) } input #key-scope name="scope" autocomplete="off" placeholder="notes read:*" aria-describedby="key-scope-help"; }
        p #key-scope-help .quiet { (sentence(&words.scopes_help)) }
        (term_fields(context, |name| element_id("key", name), &choices, "always"))
        p { label for="key-console" { (words.key_for_console) } select #key-console name="console" {
            option value="" { (words.key_for_host) }
            @for role in OperatorRole::ALL { option value=(role.as_str()) { (words.opens_console.replace("{role}", role.as_str())) } }
        } }
        p { label .check { input type="checkbox" name="admin" value="1"; " " (words.admin_key) } }
    };
    html! {
        section aria-labelledby="new-key" data-resets="" {
            h2 #new-key { (words.new_key) }
            (action_form(context, (&ADD_KEY, &words.make_key), Some("made-key"), &fields, &html! {}))
        }
    }
}

/// The answer of `mgp keys add` and `mgp keys rotate`.
#[derive(Debug, Deserialize)]
struct MadeKey {
    name: String,
    key: String,
    agent: String,
    #[serde(default)]
    console: Option<OperatorRole>,
    #[serde(default)]
    expires_at: Option<String>,
    #[serde(default)]
    replaced_until: Option<String>,
}

/// Shows the text of a new key, which is nowhere else.
pub(crate) fn made_key(context: &Context, json: &str) -> Markup {
    let words = &context.texts.agents;
    let Ok(made) = serde_json::from_str::<MadeKey>(json) else {
        return html! { p role="alert" { (words.no_made_key) } };
    };
    let rule = address(Nav::Agents.path(), &[("view", "rules"), ("agent", &made.agent), ("rule", ALLOW)]);
    html! {
        section .made-key .question aria-labelledby="made-key-title" tabindex="-1" {
            h3 #made-key-title { (words.made_key) " " (foreign(&made.name)) }
            p { strong { (words.once) } }
            div #key-text { (command_box(context, &words.made_key, &made.key)) }
            @if let Some(role) = made.console {
                p { (words.opens_console.replace("{role}", role.as_str())) }
            } @else {
                p { (words.send_it) }
                (command_box(context, &words.header, &format!("Authorization: Bearer {}", made.key)))
                p { (words.calls_for) " " (foreign(&made.agent)) ". " (words.may_nothing) " "
                    a href=(format!("{rule}#new-rule")) { (words.next_rule) } }
            }
            @if let Some(end) = &made.expires_at { p { (words.ends) " " (time(end)) } }
            @if let Some(until) = &made.replaced_until { p { (words.old_key_until) " " (time(until)) } }
            p { a href=(link(Nav::Agents.path(), "view", "keys")) { (words.kept_it) } }
        }
    }
}
