//! Checks `docs/configuration.md` against the types.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mgp_discovery::config::*;
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    context::{ConfinementMode, ConfinementPreset, ConfinementRunner, RiskLevel, TrustLevel},
    permission::PermissionPolicy,
    tool_index::{Exposure, ToolContextBudget},
    tool_security::{OnChange, ReadonlySettings, SandboxSettings, SecretPolicy, SqlDialect, ValidatorName},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    num::{NonZeroU32, NonZeroU64},
    path::Path,
};

const DOCUMENT: &str = include_str!("../../docs/configuration.md");
const README: &str = include_str!("../../README.md");
const DEPLOYED: &str = include_str!("../../deploy/servers.toml");

/// A configuration in which every key has a value. No `..`, so that a new field does not compile until it is added here.
fn full() -> Config {
    let named = |value: &str| BTreeMap::from([("NAME".to_owned(), Secret::from(value))]);
    let mgp = ServerMgp::default();
    Config {
        kernel: KernelConfig {
            agent: "a".into(),
            exposure: Exposure::Full,
            pinned: vec!["x".into()],
            state_dir: Some("/x".into()),
            default_policy: DefaultPolicy::OptIn,
            call_timeout_ms: 1,
            call_max_ms: 1,
            queue_timeout_ms: Some(1),
            validation_timeout_ms: 1,
            discovery_timeout_ms: 1,
            startup_timeout_ms: 1,
            shutdown_timeout_ms: 1,
            lock_timeout_ms: 1,
            max_retries: 1,
            question_timeout_ms: 1,
            start_wait_ms: 1,
            lazy: true,
            idle_timeout_secs: 1,
            idle_exit_secs: 1,
            environment: vec!["X".into()],
            search_results: 1,
            instructions: Some("x".into()),
            instructions_tokens: 1,
            extensions: PassedExtensions::Known,
            refusals: RefusalForm::Result,
            transactions: true,
            check_arguments: true,
            tool_context_budget: ToolContextBudget {
                max_tokens: 3,
                pinned_reserve: 1,
                discovery_reserve: 1,
                cache_limit: 1,
            },
            tool_index: ToolIndexConfig {
                embedder: EmbedderKind::Fastembed,
                model: Some("m".into()),
                reranker: Some("r".into()),
                models_dir: Some("/x".into()),
                threads: Some(1),
            },
            limits: Limits { max_servers: 1, max_tools_per_server: 1, max_concurrent_calls: 1 },
        },
        approvals: ApprovalsConfig {
            notify: vec![NotifyTarget {
                kind: NotifyKind::Ntfy,
                url: Some("https://x".into()),
                token: Some("t".into()),
                argv: vec!["x".into()],
            }],
        },
        permissions: PermissionsConfig {
            policy: Some(PermissionPolicy::DenyAll),
            approved: BTreeMap::from([("NAME".to_owned(), Vec::new())]),
            exceptions: Vec::new(),
            wait_ms: 1,
            decision_timeout_secs: 1,
            grant_lifetime_secs: Some(1),
        },
        access: AccessConfig {
            grants: vec![Grant {
                agent: "a".into(),
                server: "s".into(),
                tool: Some("t".into()),
                permission: AccessDecision::Deny,
            }],
            policy_file: Some("/x".into()),
            registrars: vec!["a".into()],
            conceal: Some(true),
        },
        roles: BTreeMap::from([(
            "NAME".to_owned(),
            RoleConfig {
                grants: vec![RoleGrant {
                    server: "s".into(),
                    tool: Some("t".into()),
                    permission: AccessDecision::Deny,
                }],
            },
        )]),
        agents: vec![AgentConfig { id: "a".into(), roles: vec!["NAME".into()] }],
        limits: LimitsConfig {
            agents: BTreeMap::from([("NAME".to_owned(), caller_limit())]),
            keys: BTreeMap::from([("NAME".to_owned(), caller_limit())]),
            servers: BTreeMap::from([("NAME".to_owned(), target_limit())]),
            tools: BTreeMap::from([("NAME".to_owned(), target_limit())]),
            costs: BTreeMap::from([("NAME".to_owned(), 1)]),
        },
        audit: AuditConfig {
            synchronous: Synchronous::Full,
            journal: AuditJournal::Store,
            before: AuditBefore::All,
            server: Some("clock".to_owned()),
            keep_days: NonZeroU32::new(90),
            keep_mb: NonZeroU32::new(512),
        },
        discovery: DiscoveryConfig { registry: "https://x".into(), recommend: vec!["https://x".into()] },
        http: HttpConfig {
            required_servers: vec!["x".into()],
            listen: Some(([127, 0, 0, 1], 1).into()),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            api_keys: vec![ApiKey { id: "k".into(), hash: "h".into(), agent: "a".into(), admin: true }],
            oauth: Some(OAuthConfig {
                resource: Some("https://x".into()),
                audiences: Vec::new(),
                issuers: vec![OAuthIssuer {
                    issuer: "https://x".into(),
                    jwks_url: Some("https://x".into()),
                    jwks_file: Some("/x".into()),
                    agent_prefix: Some("x".into()),
                }],
                introspection: Some(OAuthIntrospection {
                    issuer: "https://x".into(),
                    url: "https://x".into(),
                    client_id: "c".into(),
                    client_secret: "s".into(),
                    remember_secs: 1,
                    agent_prefix: Some("x".into()),
                }),
                algorithms: Vec::new(),
                required_scopes: Vec::new(),
                method_scopes: BTreeMap::from([("NAME".to_owned(), Vec::new())]),
                tool_scopes: BTreeMap::from([("NAME".to_owned(), Vec::new())]),
                agent_claim: "sub".into(),
                admin_scope: Some("a".into()),
                admin_claim: Some(OAuthClaim { name: "n".into(), value: "v".into() }),
                leeway_secs: 1,
            }),
            sse: true,
            rest: true,
            body_limit: 1,
            total_body_limit: 1,
            total_body_limit_per_agent: Some(1),
            body_secs: 1,
            max_connections: 1,
            max_unauthenticated_connections: Some(1),
            max_connections_per_agent: Some(1),
            head_secs: 1,
            max_sessions: 1,
            max_sessions_per_agent: Some(1),
            session_idle_secs: 1,
            shutdown_delay_ms: 1,
        },
        idempotency: IdempotencyConfig {
            ttl_secs: 1,
            max_ttl_secs: 1,
            wait_ms: 1,
            max_keys: 1,
            max_answer_bytes: 1,
            max_bytes: 1,
        },
        tool_creation: ToolCreationConfig {
            agents: vec!["a".into()],
            python: "python3".into(),
            allowed_imports: Some(vec!["math".into()]),
            max_code_size_bytes: 1,
            max_tools: 1,
            max_result_bytes: 64,
            timeout_ms: 100,
            memory_mb: 32,
            cpu_secs: 1,
        },
        store: StoreConfig { url: Some("postgres://x".into()), on_outage: OnOutage::Snapshot },
        console: ConsoleConfig {
            listen: Some(([127, 0, 0, 1], 1).into()),
            origin: Some("https://x".into()),
            proxies: vec![[127, 0, 0, 1].into()],
            viewer_scope: Some("v".into()),
            approver_scope: Some("a".into()),
        },
        replicas: ReplicasConfig { listen: Some(([127, 0, 0, 1], 1).into()), advertise: Some("x:1".into()) },
        telemetry: TelemetryConfig {
            metrics: Some(([127, 0, 0, 1], 1).into()),
            metrics_open: true,
            metrics_tools: 1,
            traces: Some("https://x".into()),
            traces_authorization: Some("t".into()),
        },
        references: ReferencesConfig {
            ttl_secs: 1,
            max_results: 1,
            max_bytes: 1,
            max_total_results: 1,
            max_total_bytes: 1,
            store_bytes: 1,
            object_store: Some("s3://bucket/mgp".to_owned()),
            hosts: vec!["x".into()],
        },
        results: ResultLimits { max_tokens: Some(100) },
        servers: vec![ServerConfig {
            id: "s".into(),
            command: Some("c".into()),
            args: vec!["x".into()],
            env: named("v"),
            inherit: vec!["A".into()],
            cwd: Some("/x".into()),
            transport: Some(Transport::Stdio),
            url: Some("http://x".into()),
            headers: named("v"),
            auth: Some(Auth {
                bearer: Some("t".into()),
                basic: Some(BasicAuth { user: "u".into(), password: "p".into() }),
                api_key: Some("k".into()),
                header: Some("h".into()),
                oauth: Some(ServerOAuth {
                    grant: OAuthGrant::User,
                    client_id: Some("c".into()),
                    client_secret: Some("s".into()),
                    issuer: Some("i".into()),
                    client_metadata: Some("m".into()),
                    scopes: Vec::new(),
                }),
            }),
            openapi: Some("o".into()),
            base_url: Some("http://x".into()),
            include: vec![ApiRule {
                tag: Some("t".into()),
                path: Some("/x".into()),
                method: Some(ApiMethod::Get),
                operation: Some("o".into()),
            }],
            exclude: vec![ApiRule {
                tag: Some("t".into()),
                path: Some("/x".into()),
                method: Some(ApiMethod::Get),
                operation: Some("o".into()),
            }],
            max_pages: Some(5),
            commands: vec![CommandTool {
                name: "n".into(),
                description: "d".into(),
                argv: vec!["x".into()],
                arguments: serde_json::Map::new(),
                read_only: Some(true),
                timeout_ms: 30_000,
                max_output_bytes: 1_048_576,
            }],
            tools: vec![ToolShape {
                rename: Some("r".into()),
                title: Some("t".into()),
                description: Some(ShapedDescription::Whole("d".into())),
                hide: true,
                arguments: BTreeMap::from([("NAME".to_owned(), FixedValue::Agent)]),
                defaults: serde_json::Map::new(),
                annotations: Some(ShapedAnnotations {
                    read_only: Some(true),
                    destructive: Some(true),
                    idempotent: Some(true),
                    open_world: Some(true),
                }),
                risk: Some(RiskLevel::Safe),
                result: Some(ResultSelection::parse("/x").unwrap()),
                max_tokens: Some(1),
                cache_secs: Some(1),
                ..ToolShape::new("n")
            }],
            disabled: true,
            default_policy: Some(DefaultPolicy::OptOut),
            confinement: Some(ServerConfinement {
                mode: Some(ConfinementMode::Require),
                runner: Some(ConfinementRunner::Auto),
                image: Some("i".into()),
                preset: Some(ConfinementPreset::Packages),
                read: Vec::new(),
                write: Vec::new(),
                execute: Vec::new(),
                network: Some(true),
                hosts: Some(Vec::new()),
                ports: Some(Vec::new()),
                memory_mb: Some(16),
                processes: Some(1),
                open_files: Some(16),
                file_mb: Some(1),
                cpu_secs: Some(1),
            }),
            mgp: Some(ServerMgp {
                extensions: mgp.extensions,
                permissions_required: mgp.permissions_required,
                trust_level: Some(TrustLevel::Standard),
                on_change: Some(OnChange::Warn),
                restart_policy: mgp.restart_policy,
                max_restarts: mgp.max_restarts,
                restart_window_secs: mgp.restart_window_secs,
                backoff_base_ms: mgp.backoff_base_ms,
                backoff_max_ms: mgp.backoff_max_ms,
                validator: Some(ValidatorName::Sandbox),
                validators: BTreeMap::from([("NAME".to_owned(), ValidatorName::Sandbox)]),
                pointers: BTreeMap::from([("NAME".to_owned(), Vec::new())]),
                sandbox: SandboxSettings {
                    programs: Vec::new(),
                    hosts: Vec::new(),
                    project: Some("/x".into()),
                },
                readonly: ReadonlySettings { dialect: Some(SqlDialect::Ansi) },
                confirmation: mgp.confirmation,
                results: ResultsConfig { secrets: SecretPolicy::Mask },
                host_features: mgp.host_features,
                era: mgp.era,
                pinned: mgp.pinned,
                disabled: vec!["a".to_owned()],
                fallbacks: BTreeMap::from([("NAME".to_owned(), "b".to_owned())]),
                compensations: BTreeMap::from([(
                    "NAME".to_owned(),
                    CompensationConfig { tool: "b".to_owned(), arguments: serde_json::Map::new() },
                )]),
                max_retries: Some(1),
                breaker_failures: 1,
                breaker_pause_ms: 1,
                health_pause_ms: 1,
                categories: mgp.categories,
                code_safety: Some(CodeSafetyConfig {
                    language: Some("python".into()),
                    max_code_size_bytes: Some(1),
                    allowed_imports: Some(Vec::new()),
                    ..Default::default()
                }),
                idempotent: mgp.idempotent,
                lazy: Some(true),
                idle_timeout_secs: Some(1),
                instances: mgp.instances,
                max_instances: mgp.max_instances,
                shared: true,
                call_timeout_ms: Some(1),
                call_max_ms: Some(1),
                queue_timeout_ms: Some(1),
                discovery_timeout_ms: Some(1),
                startup_timeout_ms: Some(1),
                shutdown_timeout_ms: Some(1),
                max_concurrent: mgp.max_concurrent,
            }),
            fault: None,
        }],
    }
}

fn caller_limit() -> CallerLimit {
    CallerLimit {
        requests_per_minute: NonZeroU32::new(1),
        burst: NonZeroU32::new(1),
        units_per_day: NonZeroU64::new(1),
    }
}

fn target_limit() -> TargetLimit {
    TargetLimit {
        requests_per_minute: NonZeroU32::new(1),
        burst: NonZeroU32::new(1),
        units_per_day: NonZeroU64::new(1),
        per_agent: true,
    }
}

/// The path of every value in a tree.
fn leaves(value: &Value, path: &str, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves(value, &path, found);
            }
        }
        Value::Array(items) if items.first().is_some_and(Value::is_object) => {
            items.iter().for_each(|item| leaves(item, &format!("{path}[]"), found));
        }
        _ => {
            found.insert(path.to_owned(), value.clone());
        }
    }
}

fn leaves_of(value: impl serde::Serialize) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    leaves(&serde_json::to_value(value).unwrap(), "", &mut found);
    found
}

/// The rows of the document's tables: the key and its default.
fn rows() -> Vec<(&'static str, &'static str)> {
    let row = |line: &'static str| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let key = cells.next()?.strip_suffix('`')?;
        let default = cells.nth(1)?.trim_matches('`');
        cells.next().filter(|meaning| meaning.len() > 10).map(|_| (key, default))
    };
    DOCUMENT.lines().filter_map(row).collect()
}

#[test]
fn every_key_is_documented_exactly_once() {
    let documented: Vec<&str> = rows().into_iter().map(|(key, _)| key).collect();
    let once: BTreeSet<&str> = documented.iter().copied().collect();
    assert_eq!(once.len(), documented.len(), "a key stands in two rows");
    let full = leaves_of(full());
    let keys: BTreeSet<&str> = full.keys().map(String::as_str).collect();
    let missing: Vec<_> = keys.difference(&once).collect();
    let unknown: Vec<_> = once.difference(&keys).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "not documented: {missing:?}; documented only: {unknown:?}"
    );
}

#[test]
fn every_default_in_the_document_is_the_real_one() {
    let mut server = ServerConfig::new("s");
    server.mgp = Some(ServerMgp { code_safety: Some(CodeSafetyConfig::default()), ..ServerMgp::default() });
    server.confinement = Some(ServerConfinement::default());
    server.auth = Some(Auth { oauth: Some(ServerOAuth::default()), ..Auth::default() });
    let mut config = Config { servers: vec![server], ..Config::default() };
    config.http.oauth = Some(OAuthConfig::default());
    let mut real = leaves_of(config);
    real.insert("servers[].disabled".into(), Value::Bool(false));
    real.insert("servers[].commands[].timeout_ms".into(), 30_000.into());
    real.insert("servers[].commands[].max_output_bytes".into(), 1_048_576.into());
    real.insert("servers[].tools[].hide".into(), Value::Bool(false));
    real.insert("servers[].args".into(), Value::Array(Vec::new()));
    real.insert("servers[].inherit".into(), Value::Array(Vec::new()));
    real.insert("http.api_keys[].admin".into(), Value::Bool(false));
    real.insert("approvals.notify[].argv".into(), Value::Array(Vec::new()));
    real.insert("limits.servers.NAME.per_agent".into(), Value::Bool(false));
    real.insert("limits.tools.NAME.per_agent".into(), Value::Bool(false));
    real.insert("access.grants[].permission".into(), "allow".into());
    real.insert("roles.NAME.grants[].permission".into(), "allow".into());
    real.insert("agents[].roles".into(), Value::Array(Vec::new()));
    real.insert("http.oauth.introspection.remember_secs".into(), 30.into());
    for (key, documented) in rows() {
        match documented {
            "required" => continue,
            "none" => assert!(!real.contains_key(key), "{key} has a default: {:?}", real.get(key)),
            _ => assert_eq!(documented, real[key].to_string(), "{key}"),
        }
    }
}

/// The configurations in a document.
fn examples(document: &str) -> Vec<Config> {
    let texts = document.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    texts.map(parsed).collect()
}

fn parsed(text: &str) -> Config {
    let env = |_: &str| Some("value".to_owned());
    let outcome = Config::parse(Path::new("example.toml"), text.as_bytes(), &env);
    outcome.unwrap_or_else(|error| panic!("{text}\n{:#?}", error.problems()))
}

#[test]
fn the_configuration_of_deployed_replicas_is_accepted() {
    let replicas = parsed(DEPLOYED).replicas;
    assert_eq!(replicas.advertise.unwrap().value(), "value:7434");
}

#[test]
fn every_example_in_the_document_is_accepted() {
    assert!(examples(DOCUMENT).len() >= 4);
}

#[test]
fn the_first_example_grants_access_to_the_agent_that_copies_it() {
    let examples = examples(README);
    assert!(examples.iter().any(|config| !config.access.grants.is_empty()));
    for config in &examples {
        for grant in &config.access.grants {
            assert_eq!(grant.agent, config.kernel.agent);
        }
    }
}

#[test]
fn the_readme_s_example_grants_the_use_of_its_servers() {
    for config in examples(README) {
        for server in &config.servers {
            let opens =
                |grant: &Grant| grant.server == server.id && grant.permission == AccessDecision::Allow;
            assert!(config.access.grants.iter().any(opens), "{}: nobody may use it", server.id);
        }
    }
}

#[test]
fn a_missing_required_key_is_an_error() {
    for (key, _) in rows().into_iter().filter(|(_, default)| *default == "required") {
        let mut tree = toml::Value::try_from(full()).unwrap();
        let (table, name) = key.rsplit_once('.').unwrap();
        let mut here = &mut tree;
        for step in table.split('.') {
            here = match step.strip_suffix("[]") {
                Some(list) => &mut here[list][0],
                None => &mut here[step],
            };
        }
        here.as_table_mut().unwrap().remove(name).unwrap();
        let error = toml::from_str::<Config>(&toml::to_string(&tree).unwrap()).unwrap_err();
        assert!(error.message().contains(&format!("missing field `{name}`")), "{key}: {error}");
    }
}
