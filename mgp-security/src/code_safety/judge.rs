//! The judgement of findings by the rules and the policy of a language.

use super::{
    CodeRules,
    capability::{Capabilities, Capability},
    finding::{Finding, Kind, Place},
    levels,
    policy::Policy,
    violation::Violation,
};
use mgp_types::code_safety::SafetyLevel;

/// The most violations that are collected.
const COLLECTED: usize = 20;

/// The violations of one piece of code, as they are found.
#[derive(Debug)]
pub(super) struct Judgement<'a> {
    pub(super) rules: &'a CodeRules,
    pub(super) policy: &'a Policy,
    pub(super) blocked: Capabilities,
    violations: Vec<(Place, Violation)>,
    /// The number of refusals, including repeated ones.
    refused: usize,
}

impl<'a> Judgement<'a> {
    /// Begins without violations.
    pub(super) fn new(rules: &'a CodeRules, policy: &'a Policy) -> Self {
        Self { rules, policy, blocked: levels::blocked(rules.level), violations: Vec::new(), refused: 0 }
    }

    /// Judges a finding. Returns whether it is harmless.
    pub(super) fn judge(&mut self, finding: &Finding) -> bool {
        let refused = self.refused;
        let place = finding.place;
        match &finding.kind {
            Kind::Import(module) => self.judge_import(module, place),
            Kind::Use(name) => self.judge_use(name, place),
            Kind::Global(name) => self.judge_global(name, place),
            Kind::Member(name) => self.judge_member(name, place),
            Kind::Does(capability, text) => {
                if self.blocked.contains(*capability) {
                    self.refuse(place, &format!("Blocked: {text} {}", capability.verb()), Some(text), false);
                }
            }
            Kind::Undecided(text) => {
                if self.is_strict() {
                    self.refuse(place, &format!("Undecidable: {text}"), None, false);
                }
            }
        }
        self.refused == refused
    }

    /// Returns whether imports must be listed, and undecided code is refused.
    pub(super) fn is_strict(&self) -> bool {
        self.rules.level >= SafetyLevel::Strict
    }

    /// Refuses a name because of its capability, if the level blocks that.
    pub(super) fn refuse_capability(
        &mut self,
        kind: &str,
        name: &str,
        capability: Capability,
        place: Place,
    ) -> bool {
        let blocked = self.blocked.contains(capability);
        if blocked {
            let text = format!("Blocked {kind}: '{name}' {}", capability.verb());
            self.refuse(place, &text, Some(name), kind == "import");
        }
        blocked
    }

    /// Adds a violation at a place.
    pub(super) fn refuse(&mut self, place: Place, text: &str, name: Option<&str>, is_import: bool) {
        self.refused += 1;
        let text = format!("{text} (line {}, column {})", place.line, place.column);
        let is_new = self.violations.iter().all(|(_, known)| {
            known.text != text && !(is_import && known.is_import && known.name.as_deref() == name)
        });
        if is_new && self.violations.len() < COLLECTED {
            self.violations.push((place, Violation { text, name: name.map(str::to_owned), is_import }));
        }
    }

    /// Adds violations that another check found.
    pub(super) fn extend(&mut self, found: impl IntoIterator<Item = (Place, String)>) {
        for (place, pattern) in found {
            self.refuse(place, &format!("Blocked pattern: '{pattern}'"), Some(&pattern), false);
        }
    }

    /// Returns the violations in the order of the code.
    pub(super) fn into_violations(mut self) -> Vec<Violation> {
        self.violations.sort_by_key(|(place, _)| *place);
        self.violations.into_iter().map(|(_, violation)| violation).collect()
    }
}
