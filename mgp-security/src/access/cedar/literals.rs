//! Comparisons of an attribute with a text that the attribute never has.

use cedar_policy::{
    Policy,
    pst::{BinaryOp, Clause, Expr, Literal, Var},
};
use mgp_types::context::{RiskLevel, TrustLevel};

/// The attributes that have one of a few texts, and these texts.
const CHOICES: [(&str, [&str; 3]); 2] = [
    ("risk", [RiskLevel::Safe.as_str(), RiskLevel::Moderate.as_str(), RiskLevel::Dangerous.as_str()]),
    ("trust", [TrustLevel::Sandboxed.as_str(), TrustLevel::Standard.as_str(), TrustLevel::Trusted.as_str()]),
];

/// Returns the comparisons of a policy with texts that an attribute never has, each as a message.
pub(super) fn impossible(policy: &Policy) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(tree) = policy.to_pst() {
        for clause in tree.body().clauses() {
            let (Clause::When(body) | Clause::Unless(body)) = clause;
            visit(body, &mut found);
        }
    }
    found
}

fn visit(expr: &Expr, found: &mut Vec<String>) {
    match expr {
        Expr::BinaryOp { op, left, right } => {
            if matches!(op, BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::Contains) {
                found.extend(compared(left, right).or_else(|| compared(right, left)));
            }
            visit(left, found);
            visit(right, found);
        }
        Expr::UnaryOp { expr, .. } => visit(expr, found),
        Expr::IfThenElse { cond, then_expr, else_expr } => {
            for part in [cond, then_expr, else_expr] {
                visit(part, found);
            }
        }
        _ => {}
    }
}

/// Returns a message if an attribute is compared with a text, or with a set with a text, that the attribute never has.
fn compared(attribute: &Expr, with: &Expr) -> Option<String> {
    let Expr::GetAttr { expr: of, attr } = attribute else { return None };
    let is_resource = |expr: &Expr| matches!(expr, Expr::Var(Var::Resource));
    let is_of_resource = match &**of {
        Expr::GetAttr { expr, attr } => is_resource(expr) && attr == "server",
        of => is_resource(of),
    };
    let (name, choices) = CHOICES.iter().find(|(name, _)| is_of_resource && attr == *name)?;
    let unknown = |expr: &Expr| match expr {
        Expr::Literal(Literal::String(text)) if !choices.contains(&text.as_str()) => Some(text.to_string()),
        _ => None,
    };
    let text = match with {
        Expr::Set(items) => items.iter().find_map(|item| unknown(item)),
        with => unknown(with),
    }?;
    let text: String = text.chars().take(MAX_TEXT).collect();
    let [one, two, three] = choices;
    Some(format!("`{name}` is never {text:?}: expected \"{one}\", \"{two}\" or \"{three}\""))
}

/// The most characters of a text that are shown.
const MAX_TEXT: usize = 64;
