//! A request to Cedar: the entities and the context.

use super::approximate::ARGUMENTS;
use crate::access::{AccessRequest, RequestedTool};
use cedar_policy::{
    Context, Entities, Entity, EntityId, EntityTypeName, EntityUid, Request, RestrictedExpression,
};
use jiff::{Timestamp, tz::TimeZone};
use mgp_types::context::{RiskLevel, TrustLevel};
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// A request, with the entities that it is about.
pub(super) struct Facts {
    pub(super) request: Request,
    pub(super) entities: Entities,
}

/// The attributes of an entity.
type Attributes = HashMap<String, RestrictedExpression>;

macro_rules! types {
    ($($name:ident = $text:literal;)*) => {
        $(static $name: LazyLock<EntityTypeName> =
            LazyLock::new(|| $text.parse().expect("the name of a type is valid"));)*
    };
}

types! {
    AGENT = "Agent";
    ROLE = "Role";
    SERVER = "Server";
    TOOL = "Tool";
    ACTION = "Action";
}

impl Facts {
    /// Creates a request to decide on. Arguments are in the context only if they are given.
    ///
    /// # Errors
    /// The reason why Cedar cannot decide on the request.
    pub(super) fn new(
        asked: &AccessRequest<'_>,
        arguments: Option<RestrictedExpression>,
    ) -> Result<Self, String> {
        let principal = uid(&AGENT, asked.agent_id);
        let server = uid(&SERVER, asked.server_id);
        let roles: HashSet<_> = asked.roles.iter().map(|role| uid(&ROLE, role)).collect();
        let mut entities = vec![
            Entity::new_no_attrs(principal.clone(), roles),
            entity(server.clone(), of_server(asked), HashSet::new())?,
        ];
        let (action, resource) = match asked.tool {
            Some(_) if asked.server_id.contains('/') => {
                // The entity could be another server's tool.
                return Err(format!("the server's id {:?} has a slash", asked.server_id));
            }
            Some(tool) => {
                let id = uid(&TOOL, &format!("{}/{}", asked.server_id, tool.name));
                entities.push(entity(id.clone(), of_tool(asked, tool, &server), HashSet::from([server]))?);
                (uid(&ACTION, "call"), id)
            }
            None => (uid(&ACTION, "use"), server),
        };
        let wrong = |error: &dyn std::fmt::Display| error.to_string();
        let context = context(asked, arguments)?;
        let entities = Entities::from_entities(entities, None).map_err(|error| wrong(&error))?;
        let request =
            Request::new(principal, action, resource, context, None).map_err(|error| wrong(&error))?;
        Ok(Self { request, entities })
    }
}

fn uid(kind: &EntityTypeName, id: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(kind.clone(), EntityId::new(id))
}

fn entity(id: EntityUid, attributes: Attributes, parents: HashSet<EntityUid>) -> Result<Entity, String> {
    Entity::new(id, attributes, parents).map_err(|error| error.to_string())
}

fn of_server(asked: &AccessRequest<'_>) -> Attributes {
    HashMap::from([
        ("trust".to_owned(), text(asked.trust.as_str())),
        ("registered".to_owned(), RestrictedExpression::new_bool(asked.registered)),
    ])
}

/// Returns the attributes of a tool. An unknown tool has no risk, so that a policy that reads the risk denies.
fn of_tool(asked: &AccessRequest<'_>, tool: RequestedTool<'_>, server: &EntityUid) -> Attributes {
    let mut attributes = HashMap::from([
        ("name".to_owned(), text(tool.name)),
        ("server".to_owned(), RestrictedExpression::new_entity_uid(server.clone())),
    ]);
    if let Some(profile) = tool.profile {
        let permissions = profile.permissions.iter().map(|permission| text(&permission.to_string()));
        // As the server declares it.
        let reads_only = profile.reads_only && asked.trust != TrustLevel::Sandboxed;
        attributes.extend([
            ("risk".to_owned(), text(profile.risk.as_str())),
            ("risk_rank".to_owned(), RestrictedExpression::new_long(rank(profile.risk))),
            ("permissions".to_owned(), RestrictedExpression::new_set(permissions.collect::<Vec<_>>())),
            ("reads_only".to_owned(), RestrictedExpression::new_bool(reads_only)),
        ]);
    }
    attributes
}

const fn rank(risk: RiskLevel) -> i64 {
    match risk {
        RiskLevel::Safe => 0,
        RiskLevel::Moderate => 1,
        RiskLevel::Dangerous => 2,
    }
}

fn context(asked: &AccessRequest<'_>, arguments: Option<RestrictedExpression>) -> Result<Context, String> {
    let time = Timestamp::try_from(asked.time).map_err(|error| format!("the time: {error}"))?;
    let zoned = time.to_zoned(TimeZone::UTC);
    let long = |number: i8| RestrictedExpression::new_long(number.into());
    let mut pairs = vec![
        ("time".to_owned(), RestrictedExpression::new_datetime(format!("{time:.3}"))),
        ("hour".to_owned(), long(zoned.hour())),
        ("weekday".to_owned(), long(zoned.weekday().to_monday_one_offset())),
    ];
    pairs.extend(arguments.map(|arguments| (ARGUMENTS.to_owned(), arguments)));
    Context::from_pairs(pairs).map_err(|error| error.to_string())
}

fn text(text: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(text.to_owned())
}
