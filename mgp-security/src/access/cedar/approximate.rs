//! Rewrites policies so that they decide without a call's arguments: for lists, where there is no call yet, and for checks, because
//! arguments have no schema.
//!
//! For lists, a condition on arguments counts as fulfilled in a `permit`, and as not fulfilled in a `forbid`: a tool is shown if it may be
//! called with any arguments at all.

use cedar_policy::{
    Policy,
    pst::{BinaryOp, Clause, Effect, Expr, Literal, Policy as Tree, StaticPolicy, UnaryOp, Var},
};
use std::sync::Arc;

/// The attribute of the context that has the arguments.
pub(super) const ARGUMENTS: &str = "arguments";

/// The expression that replaces a condition on arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StandIn {
    /// The bound of the condition: at most `true`, or at least `false`.
    Bound(bool),
    /// The attribute itself, which is a Boolean in the schema for checks.
    Attribute,
}

/// Returns whether a policy depends on the arguments of a call, or cannot be inspected.
pub(super) fn mentions_arguments(policy: &Policy) -> bool {
    let mentions = |tree: &Tree| tree.body().clauses().iter().any(|clause| mentions(body(clause)));
    policy.to_pst().map_or(true, |tree| mentions(&tree))
}

/// Returns a policy that decides for any arguments; `None` if the policy cannot be rewritten.
pub(super) fn for_any_arguments(policy: &Policy) -> Option<Policy> {
    rewrite(policy, |effect| StandIn::Bound(effect == Effect::Permit))
}

/// Returns a policy that can be checked against the schema, in which arguments are one Boolean.
pub(super) fn for_checks(policy: &Policy) -> Option<Policy> {
    rewrite(policy, |_| StandIn::Attribute)
}

fn rewrite(policy: &Policy, stand_in: impl Fn(Effect) -> StandIn) -> Option<Policy> {
    let template = policy.to_pst().ok()?.body().clone();
    let stand_in = stand_in(template.effect);
    let clauses: Vec<_> = template.clauses().iter().map(|clause| replaced(clause, stand_in)).collect();
    let rewritten = StaticPolicy::try_from(template.try_with_clauses(clauses).ok()?).ok()?;
    Policy::from_pst(Tree::Static(rewritten)).ok()
}

fn body(clause: &Clause) -> &Arc<Expr> {
    match clause {
        Clause::When(body) | Clause::Unless(body) => body,
    }
}

fn replaced(clause: &Clause, stand_in: StandIn) -> Clause {
    match clause {
        Clause::When(body) => Clause::When(without_arguments(body, stand_in)),
        Clause::Unless(body) => Clause::Unless(without_arguments(body, stand_in.opposite())),
    }
}

impl StandIn {
    fn opposite(self) -> Self {
        match self {
            Self::Bound(upper) => Self::Bound(!upper),
            Self::Attribute => Self::Attribute,
        }
    }

    fn expression(self) -> Expr {
        match self {
            Self::Bound(upper) => Expr::Literal(Literal::Bool(upper)),
            Self::Attribute => {
                Expr::GetAttr { expr: Arc::new(Expr::Var(Var::Context)), attr: ARGUMENTS.into() }
            }
        }
    }
}

/// Replaces the conditions on arguments in a Boolean expression.
fn without_arguments(expr: &Arc<Expr>, stand_in: StandIn) -> Arc<Expr> {
    if !mentions(expr) {
        return expr.clone();
    }
    let within = |part: &Arc<Expr>| without_arguments(part, stand_in);
    Arc::new(match &**expr {
        Expr::BinaryOp { op: op @ (BinaryOp::And | BinaryOp::Or), left, right } => {
            Expr::BinaryOp { op: *op, left: within(left), right: within(right) }
        }
        Expr::UnaryOp { op: UnaryOp::Not, expr } => {
            Expr::UnaryOp { op: UnaryOp::Not, expr: without_arguments(expr, stand_in.opposite()) }
        }
        Expr::IfThenElse { cond, then_expr, else_expr } => match stand_in {
            // The branch is unknown: the upper bound needs one of the two to hold, the lower bound both.
            StandIn::Bound(upper) if mentions(cond) => Expr::BinaryOp {
                op: if upper { BinaryOp::Or } else { BinaryOp::And },
                left: within(then_expr),
                right: within(else_expr),
            },
            _ => Expr::IfThenElse {
                cond: within(cond),
                then_expr: within(then_expr),
                else_expr: within(else_expr),
            },
        },
        _ => stand_in.expression(),
    })
}

/// Returns whether an expression reads the arguments, or the context as a whole.
fn mentions(expr: &Expr) -> bool {
    let is_context = |expr: &Expr| matches!(expr, Expr::Var(Var::Context));
    match expr {
        Expr::Literal(_) | Expr::Slot(_) => false,
        Expr::Var(var) => *var == Var::Context,
        Expr::GetAttr { expr, attr } if is_context(expr) => attr == ARGUMENTS,
        Expr::HasAttr { expr, attrs } if is_context(expr) => attrs.first() == ARGUMENTS,
        Expr::GetAttr { expr, .. }
        | Expr::HasAttr { expr, .. }
        | Expr::Like { expr, .. }
        | Expr::UnaryOp { expr, .. } => mentions(expr),
        Expr::BinaryOp { left, right, .. } => mentions(left) || mentions(right),
        Expr::Is { expr, in_expr, .. } => mentions(expr) || in_expr.as_ref().is_some_and(|of| mentions(of)),
        Expr::IfThenElse { cond, then_expr, else_expr } => {
            [cond, then_expr, else_expr].into_iter().any(|part| mentions(part))
        }
        Expr::Set(items) => items.iter().any(|item| mentions(item)),
        Expr::Record(members) => members.values().any(|member| mentions(member)),
        // An unknown expression may read anything.
        _ => true,
    }
}
