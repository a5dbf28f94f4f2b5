//! Functions of SQL that only compute, and those that do more.
//!
//! The names come from the reference manuals of PostgreSQL, MySQL, MariaDB, SQLite, SQL Server, Oracle, DuckDB, ClickHouse, Snowflake and
//! BigQuery.

/// Functions that only compute from their arguments, or tell about the session.
const PLAIN: &str = "uniq uniqexact uniqcombined quantile quantiles topk avgif sumif tostartofday tostartofmonth toyyyymm abs acos acosh add_months adddate addtime age any_value approx_count_distinct approx_distinct argmax argmin arg_max arg_min array array_agg array_append array_cat array_concat array_contains array_length array_position array_prepend array_remove array_size array_to_string array_upper ascii asin asinh atan atan2 atanh avg bigint bin bit bit_and bit_count bit_length bit_or bit_xor bool_and bool_or boolean bpchar btrim cardinality cast cbrt ceil ceiling changes char char_length character character_length charindex choose chr clob coalesce col_description collation concat concat_ws contains conv convert corr cos cosh cot count count_big count_if countif covar_pop covar_samp crc32 cume_dist curdate current_catalog current_database current_date current_role current_schema current_schemas current_setting current_time current_timestamp current_user curtime database date date_add date_bin date_diff date_format date_part date_sub date_trunc dateadd datediff datefromparts datename datepart datetime datetime2 datetime_diff datetime_trunc datetrunc day dayname dayofmonth dayofweek dayofyear db_name dec decimal decode degrees dense_rank difference div divide double elt encode endswith eomonth every exp explode extract field find_in_set first first_value flatten float float8 floor format format_date format_timestamp format_type found_rows from_base64 from_days from_unixtime generate_date_array generate_series geography geometry getdate getutcdate glob greatest group_concat grouping grouping_id has_schema_privilege has_table_privilege hash hex histogram host hour if ifnull iff iif ilike inet_aton inet_ntoa initcap instr int int4 int8 integer interval is_ipv4 isdate isempty isjson isnull isnumeric json json_agg json_array json_array_elements json_array_elements_text json_array_length json_arrayagg json_build_array json_build_object json_contains json_contains_path json_each json_each_text json_extract json_extract_path json_extract_path_text json_extract_scalar json_group_array json_group_object json_insert json_keys json_length json_object json_object_agg json_object_keys json_objectagg json_overlaps json_patch json_pretty json_query json_quote json_remove json_replace json_search json_set json_table json_tree json_type json_typeof json_unquote json_valid json_value jsonb jsonb_agg jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object_agg jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty jsonb_strip_nulls jsonb_typeof julianday justify_days justify_hours kurtosis lag last last_day last_insert_id last_insert_rowid last_value lcase lead least left len length levenshtein like list list_agg list_contains list_filter list_transform list_value listagg ln localtime localtimestamp locate log log10 log2 lower lpad ltrim make_date make_interval make_time make_timestamp makedate maketime map map_keys map_values masklen max max_by md5 median microsecond mid min min_by minute mod mode month monthname monthnow months_between nchar network newid next_day now nth_value ntile nullif numeric numrange nvarchar nvl nvl2 obj_description object_id object_name octet_length ord overlay parse_json patindex percent_rank percentile_cont percentile_disc period_diff pg_backend_pid pg_column_size pg_database_size pg_get_constraintdef pg_get_expr pg_get_functiondef pg_get_indexdef pg_get_userbyid pg_get_viewdef pg_indexes_size pg_relation_size pg_size_pretty pg_table_is_visible pg_table_size pg_total_relation_size pg_typeof phraseto_tsquery plainto_tsquery point position pow power printf quantile quarter quote quote_ident quote_literal quotename radians rand random range rank real regexp regexp_contains regexp_count regexp_extract regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace replicate reverse right round row row_count row_number row_to_json rpad rtrim safe_cast safe_divide schema_name scope_identity sec_to_time second serverproperty session_user sha1 sha2 sha224 sha256 sha384 sha512 sign similarity sin sinh skewness smallint soundex space split split_part sqlite_version sqrt st_area st_asgeojson st_astext st_contains st_distance st_dwithin st_geomfromtext st_intersects st_length st_makepoint st_point st_within st_x st_y starts_with startswith stddev stddev_pop stddev_samp stdev str str_to_date strcmp strftime string_agg string_split string_to_array strpos strtok struct stuff subdate substr substring substring_index subtime suffix sum sumif switchoffset sysdate sysdatetime sysutcdatetime system_user tan tanh text time time_bucket time_format time_to_sec timediff timestamp timestamp_diff timestamp_seconds timestamp_trunc timestampadd timestampdiff timestamptz timezone tinyint to_array to_ascii to_base64 to_char to_date to_days to_hex to_json to_json_string to_jsonb to_number to_regclass to_seconds to_timestamp to_tsquery to_tsvector to_varchar todate todatetime tojson tostartofday tostartofhour tostartofmonth tostring total total_changes toyyyymm translate trim trunc truncate try_cast try_convert try_parse_json ts_headline ts_rank ts_rank_cd tsquery tsrange type_name typeof ucase unhex unicode uniq uniqexact unix_timestamp unixepoch unnest upper user utc_date utc_time utc_timestamp uuid values var_pop var_samp varbinary varchar varchar2 variance version websearch_to_tsquery week weekday weekofyear width_bucket xmlagg xmlelement xpath year yearweek";

/// Functions that write, wait, run something, or reach files and other machines.
const EFFECTS: &str = "load_extension load_file writefile readfile edit fsdir sleep benchmark get_lock release_lock release_all_locks master_pos_wait source_pos_wait nextval setval set_config txid_current query_to_xml query_to_xmlschema table_to_xml schema_to_xml database_to_xml cursor_to_xml query_to_xml_and_xmlschema xpath_table crosstab openrowset opendatasource openquery openxml file url s3 remote remotesecure mysql postgresql mongodb jdbc odbc hdfs executable input azureblobstorage gcs cluster sqlite_scan postgres_scan mysql_scan sqlite_query postgres_query mysql_query parquet_scan parquet_metadata sniff_csv getenv system shell eval exec bfilename external_query fts3_tokenizer";

/// Beginnings of the names of such functions.
const EFFECT_PREFIXES: &[&str] = &[
    "pg_read_",
    "pg_ls_",
    "pg_stat_file",
    "pg_file_",
    "pg_advisory_",
    "pg_try_advisory",
    "pg_replication_",
    "pg_create_",
    "pg_drop_",
    "pg_logical_",
    "pg_stat_reset",
    "pg_wal_replay",
    "pg_sleep",
    "pg_terminate_",
    "pg_cancel_",
    "pg_reload_",
    "pg_rotate_",
    "pg_switch_",
    "pg_start_",
    "pg_stop_",
    "pg_backup_",
    "pg_promote",
    "pg_notify",
    "dblink",
    "xp_",
    "sp_",
    "fn_xe_file",
    "utl_",
    "dbms_",
    "http",
    "lo_",
    "lowrite",
    "sys_",
    "read_",
    "system$",
    "aws_",
];

/// An answer about a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    Some,
    Unknown,
}

/// Returns whether a function, named in lower case, does more than to compute.
pub(super) fn effect(name: &str) -> Effect {
    let prefixed = EFFECT_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    if prefixed || EFFECTS.split(' ').any(|other| other == name) {
        return Effect::Some;
    }
    if PLAIN.split(' ').any(|other| other == name) { Effect::None } else { Effect::Unknown }
}
