//! The validator itself, which judges every command in the arguments.

use super::{
    finding::Finding,
    judge::ScriptJudge,
    members,
    paths::judge_read,
    places::{Commands, Form, Place, folders, places},
    traits::Traits,
    variables,
};
use crate::{
    profile::Leaves,
    validator::{Input, Validator, Verdict, Violation, rejection::shown, shell::Word},
};

/// A hint about the setting with which an operator allows a program.
const PROGRAMS: &str =
    "the operator lets a program pass with `programs` in [servers.mgp.sandbox], and a host with `hosts`";

/// The validator `sandbox`.
#[derive(Debug, Clone, Copy)]
pub struct Sandbox;

impl Validator for Sandbox {
    fn name(&self) -> &str {
        "sandbox"
    }

    fn check(&self, input: &Input<'_>) -> Verdict {
        let profile = input.profile;
        if !profile.takes_commands && profile.leaves == Leaves::All {
            return Verdict::Pass;
        }
        let (mut harm, mut doubt) = (Vec::new(), Vec::new());
        let folders = folders(input.leaves);
        let mut together = Traits::default();
        for place in places(input.leaves, profile) {
            if let Err(late) = input.in_time() {
                return Verdict::Refuse(late);
            }
            let (mut findings, traits) = judged(&place, input, &folders, false);
            if place.certain {
                together.add(traits);
            } else {
                findings.extend(traits.findings());
            }
            for finding in findings {
                let said =
                    format!("{} in {}: {:?}", finding.what, place.leaf.place(), shown(&place.leaf.text));
                match finding.harmful {
                    true => harm.push(said),
                    false if place.certain => doubt.push(said),
                    false => {}
                }
            }
        }
        if let Some(commands) = Commands::of(input.leaves) {
            let beside = members::judge(input.leaves, |leaf| commands.judge(leaf));
            doubt.extend(
                beside.into_iter().map(|(leaf, finding)| format!("{} in {}", finding.what, leaf.place())),
            );
            let unclear = folders.iter().find_map(|folder| members::folder(folder));
            doubt.extend(unclear.map(|finding| finding.what.into_owned()));
        }
        doubt.extend(together.findings().into_iter().map(|finding| finding.what.into_owned()));
        if !harm.is_empty() {
            return Verdict::Refuse(Violation::new("the sandbox refuses the command", harm));
        }
        if doubt.is_empty() {
            return Verdict::Pass;
        }
        doubt.push(PROGRAMS.to_owned());
        Verdict::Ask(Violation::new("it is unknown whether the command is harmless", doubt))
    }
}

/// Returns the findings at a place. A text that is not certainly a command may be unreadable without a finding.
/// `reading` is true if commands may only read.
pub(super) fn judged(
    place: &Place<'_>,
    input: &Input<'_>,
    folders: &[&str],
    reading: bool,
) -> (Vec<Finding>, Traits) {
    let judge = || ScriptJudge::new(input).inside(folders).reading(reading);
    match &place.command {
        Form::Variable(name, value) => {
            let value = Word::literal(value);
            let mut traits = Traits::default();
            if value.text.starts_with(['/', '~', '.']) {
                traits.compose();
            }
            let findings = [variables::judge(name, &value, true), judge_read(&value)];
            (findings.into_iter().flatten().collect(), traits)
        }
        Form::Text(text) if place.certain => judge().judge_text(text),
        Form::Text(text) => judge().judge_prose(text),
        Form::Words(words) => {
            let (mut findings, mut traits) = judge().judge_words(words.iter().map(Word::literal).collect());
            if joins(words) {
                let text = words.join(" ");
                let (more, others) =
                    if place.certain { judge().judge_text(&text) } else { judge().judge_prose(&text) };
                findings.extend(more);
                traits.add(others);
            }
            (findings, traits)
        }
    }
}

/// Returns whether a shell may read the joined words.
fn joins(words: &[String]) -> bool {
    let operators = ["&&", "||", ";", "|", "&", ">", ">>", "<"];
    let joins = |word: &String| {
        operators.contains(&word.as_str())
            || word.ends_with(';')
            || [";", "$(", "`", "| ", "|| ", "&& "].iter().any(|start| word.starts_with(start))
    };
    match words {
        [program, arguments @ ..] => program != "find" && arguments.iter().any(joins),
        [] => false,
    }
}
