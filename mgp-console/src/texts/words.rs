//! The texts by name. A page has a table of its own.

use super::{
    add_server::AddServerWords,
    agents::AgentWords,
    approvals::ApprovalWords,
    judgement::JudgementWords,
    now::NowWords,
    servers::{ServerDetailWords, ServerWords},
    settings::{DoctorWords, SettingWords},
    table::words,
    tools::ToolWords,
    trail::TrailWords,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The texts of a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Texts {
    /// The name of the language, as in `lang`.
    pub(crate) language: String,
    pub(crate) common: CommonWords,
    pub(crate) nav: NavWords,
    pub(crate) sign_in: SignInWords,
    pub(crate) refused: RefusedWords,
    pub(crate) now: NowWords,
    pub(crate) approvals: ApprovalWords,
    pub(crate) judgement: JudgementWords,
    pub(crate) servers: ServerWords,
    pub(crate) server: ServerDetailWords,
    pub(crate) add_server: AddServerWords,
    pub(crate) tools: ToolWords,
    pub(crate) agents: AgentWords,
    pub(crate) trail: TrailWords,
    /// Types of events, by their names without the gateway's prefix.
    pub(crate) event_names: BTreeMap<String, String>,
    pub(crate) settings: SettingWords,
    pub(crate) doctor: DoctorWords,
}

words! {
    /// Words of several pages.
    CommonWords {
        skip sign_out signed_in_as theme close done failed copy copied as_command correct_field trace on_page role_needed
        pages_of_list rows_of rows_before rows_after tools_wait_one tools_wait_many and_more decide
    }

    /// The names of the pages.
    NavWords { now approvals servers tools agents trail settings label menu }

    /// The page without a session.
    SignInWords { title opening how used scripts key key_or_token with_key how_key unknown_key }

    /// Refusals of a request as a whole.
    RefusedWords { host origin token }
}

/// Puts a number into a text, which has `{n}` in its place.
pub(crate) fn number(n: u64, one: &str, many: &str) -> String {
    if n == 1 { one } else { many }.replace("{n}", &n.to_string())
}
