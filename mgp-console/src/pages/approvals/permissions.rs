//! Permissions that servers need.

use super::{
    questions::{PermissionQuestion, UnreadablePermission},
    short_id::short,
};
use crate::{
    actions::{APPROVE, DENY},
    page::{Context, Nav, Part, Submit, action_form, element_id, foreign, sentence, term_fields, time},
    texts::number,
};
use maud::{Markup, html};
use mgp_types::permission::StandardPermission;

/// Writes the questions, by server.
pub(super) fn permissions(context: &Context, questions: &[PermissionQuestion]) -> Markup {
    let words = &context.texts.approvals;
    let part = Part::of(context, questions, "permissions");
    html! {
        section aria-labelledby="permission-questions" {
            h2 #permission-questions { (words.permissions) }
            @for (at, question) in part.rows.iter().enumerate() {
                @let count = questions.iter().filter(|other| other.server_id == question.server_id).count();
                @let is_first = part.rows[..at].iter().all(|other| other.server_id != question.server_id);
                @if count > 1 && is_first { (server(context, question, count)) }
                (permission(context, question))
            }
            (part.links(context, Nav::Approvals.path(), "permissions"))
        }
    }
}

/// Writes the buttons for all open questions of a server.
fn server(context: &Context, first: &PermissionQuestion, count: usize) -> Markup {
    let words = &context.texts.approvals;
    let own = |name: &str| element_id(name, &first.request_id);
    let [heading, approve, deny] = ["server", "server-approve", "server-deny"].map(own);
    html! {
        form .group {
            h3 id=(heading) { (foreign(&first.server_id)) " " (number(count as u64, &words.needs_one, &words.needs_many)) }
            input type="hidden" name="id" value=(first.server_id);
            div .buttons {
                (Submit::new(&APPROVE, &words.approve_all).named_by(&approve, &heading).asks(&words.all_question).show(context))
                (Submit::new(&DENY, &words.deny_all).named_by(&deny, &heading).show(context))
            }
        }
    }
}

fn permission(context: &Context, question: &PermissionQuestion) -> Markup {
    let words = &context.texts.approvals;
    let id = question.request_id.as_str();
    let own = |name: &str| element_id(name, id);
    let [heading, once, hours, always, deny] = ["permission", "grant", "hours", "always", "deny"].map(own);
    let approve = |label| Submit::new(&APPROVE, label);
    html! {
        article .question data-id=(id) aria-labelledby=(heading) {
            div .head { h3 id=(heading) { (foreign(&question.server_id)) " " code { (foreign(&question.permission)) } } span .quiet { code { (short(id)) } } }
            dl {
                dt { (words.what_it_is) } dd { (meaning(context, &question.permission)) }
                @if let Ok(standard) = question.permission.parse::<StandardPermission>() {
                    dt { (words.risk) } dd { span .state data-state=(standard.risk().as_str()) { (standard.risk().as_str()) } }
                }
                @if let Some(tool) = &question.tool_name { dt { (words.needed_for) } dd { (foreign(tool)) } }
                @if let Some(count) = question.waiting_tools {
                    dt { (words.waiting) } dd { (number(count, &words.tools_one, &words.tools_many)) }
                }
                dt { (words.asked_at) } dd { (time(&question.asked_at)) }
            }
            form {
                input type="hidden" name="id" value=(id);
                div .buttons {
                    (approve(&words.approve).named_by(&once, &heading).show(context))
                    (approve(&words.approve_8h).field("for", "8h").named_by(&hours, &heading).show(context))
                    (approve(&words.approve_always).field("term", "always").named_by(&always, &heading).show(context))
                    (Submit::new(&DENY, &words.deny).named_by(&deny, &heading).show(context))
                }
            }
            (limits(context, question))
        }
    }
}

/// Returns the field that limits a permission; `None` for a permission without limits.
fn limit(permission: &str) -> Option<&'static str> {
    match permission {
        "filesystem.read" | "filesystem.write" => Some("path"),
        "network.outbound" => Some("host"),
        "network.listen" => Some("port"),
        "shell.execute" => Some("program"),
        _ => None,
    }
}

fn meaning<'a>(context: &'a Context, permission: &str) -> &'a str {
    let words = &context.texts.approvals;
    match permission {
        "filesystem.read" => &words.reads_files,
        "filesystem.write" => &words.writes_files,
        "network.outbound" => &words.connects,
        "network.listen" => &words.listens,
        "shell.execute" => &words.runs_programs,
        "code_execution" => &words.runs_code,
        "memory.read" => &words.reads_memory,
        "memory.write" => &words.writes_memory,
        "system.info" => &words.reads_system,
        "camera" => &words.uses_camera,
        "notification" => &words.notifies,
        _ => &words.other_permission,
    }
}

/// Writes the form of an approval within limits.
fn limits(context: &Context, question: &PermissionQuestion) -> Markup {
    let words = &context.texts.approvals;
    let id = question.request_id.as_str();
    let own = |name: &str| element_id(name, id);
    let field = own("limit");
    let choices = [
        ("once", words.term_configured.as_str()),
        ("midnight", &words.term_midnight),
        ("1h", &words.term_1h),
        ("8h", &words.term_8h),
        ("7d", &words.term_7d),
        ("always", &words.term_always),
    ];
    let limit = limit(&question.permission);
    let (label, help) = match limit {
        Some("path") => (&words.paths, &words.paths_help),
        Some("host") => (&words.hosts, &words.hosts_help),
        Some("port") => (&words.ports, &words.ports_help),
        _ => (&words.programs, &words.programs_help),
    };
    let fields = html! {
        input type="hidden" name="id" value=(id);
        @if let Some(name) = limit {
            p { label for=(field) { (label) } textarea id=(field) name=(name) rows="2" spellcheck="false" aria-describedby=(own("limit-help")) {} }
            p .quiet id=(own("limit-help")) { (help) }
            p { label .check { input type="checkbox" name="unlimited" value="1"; " " (words.unlimited) } }
        }
        (term_fields(context, own, &choices, "once"))
    };
    html! {
        details .more {
            summary { @if limit.is_some() { (words.within_limits) } @else { (words.other_times) } }
            (action_form(context, (&APPROVE, &words.approve), None, &fields, &html! {}))
        }
    }
}

/// Writes the rows that cannot be read.
pub(super) fn unreadable(context: &Context, rows: &[UnreadablePermission]) -> Markup {
    let words = &context.texts.approvals;
    html! {
        @if !rows.is_empty() {
            section .error aria-labelledby="unreadable" {
                h2 #unreadable { (words.unreadable) }
                ul { @for row in rows.iter().take(20) { li {
                    @if let Some(server) = &row.server_id { (foreign(server)) " " }
                    @if let Some(permission) = &row.permission { (foreign(permission)) " " }
                    (foreign(&row.problem))
                } } }
                p .help { (sentence(&words.unreadable_help)) }
            }
        }
    }
}
