//! The oids of the built-in types, as in `pg_type.dat` of PostgreSQL 15.

/// The number of an object of the catalogue.
pub type Oid = u32;

/// A type, by its oid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub Oid);

#[allow(missing_docs)]
impl TypeId {
    pub const BOOL: TypeId = TypeId(16);
    pub const BYTEA: TypeId = TypeId(17);
    /// `"char"`, a single byte.
    pub const CHAR: TypeId = TypeId(18);
    pub const NAME: TypeId = TypeId(19);
    pub const INT8: TypeId = TypeId(20);
    pub const INT2: TypeId = TypeId(21);
    pub const INT2VECTOR: TypeId = TypeId(22);
    pub const INT4: TypeId = TypeId(23);
    pub const REGPROC: TypeId = TypeId(24);
    pub const TEXT: TypeId = TypeId(25);
    pub const OID: TypeId = TypeId(26);
    pub const TID: TypeId = TypeId(27);
    pub const XID: TypeId = TypeId(28);
    pub const XID8: TypeId = TypeId(5069);
    pub const CID: TypeId = TypeId(29);
    pub const OIDVECTOR: TypeId = TypeId(30);
    pub const JSON: TypeId = TypeId(114);
    pub const XML: TypeId = TypeId(142);
    pub const PG_NODE_TREE: TypeId = TypeId(194);
    pub const FLOAT4: TypeId = TypeId(700);
    pub const FLOAT8: TypeId = TypeId(701);
    pub const UNKNOWN: TypeId = TypeId(705);
    pub const MONEY: TypeId = TypeId(790);
    pub const INET: TypeId = TypeId(869);
    pub const ACLITEM: TypeId = TypeId(1033);
    pub const BPCHAR: TypeId = TypeId(1042);
    pub const VARCHAR: TypeId = TypeId(1043);
    pub const DATE: TypeId = TypeId(1082);
    pub const TIME: TypeId = TypeId(1083);
    pub const TIMESTAMP: TypeId = TypeId(1114);
    pub const TIMESTAMPTZ: TypeId = TypeId(1184);
    pub const INTERVAL: TypeId = TypeId(1186);
    pub const TIMETZ: TypeId = TypeId(1266);
    pub const BIT: TypeId = TypeId(1560);
    pub const VARBIT: TypeId = TypeId(1562);
    pub const NUMERIC: TypeId = TypeId(1700);
    pub const REFCURSOR: TypeId = TypeId(1790);
    pub const REGPROCEDURE: TypeId = TypeId(2202);
    pub const REGOPER: TypeId = TypeId(2203);
    pub const REGCLASS: TypeId = TypeId(2205);
    pub const REGTYPE: TypeId = TypeId(2206);
    pub const RECORD: TypeId = TypeId(2249);
    pub const CSTRING: TypeId = TypeId(2275);
    pub const ANY: TypeId = TypeId(2276);
    pub const ANYARRAY: TypeId = TypeId(2277);
    pub const VOID: TypeId = TypeId(2278);
    pub const ANYELEMENT: TypeId = TypeId(2283);
    pub const RECORD_ARRAY: TypeId = TypeId(2287);
    pub const ANYNONARRAY: TypeId = TypeId(2776);
    pub const UUID: TypeId = TypeId(2950);
    pub const ANYENUM: TypeId = TypeId(3500);
    pub const ANYRANGE: TypeId = TypeId(3831);
    pub const JSONB: TypeId = TypeId(3802);
    pub const REGNAMESPACE: TypeId = TypeId(4089);
    pub const REGROLE: TypeId = TypeId(4096);
    pub const REGDICTIONARY: TypeId = TypeId(3769);
    pub const REGCOLLATION: TypeId = TypeId(4191);
    pub const ANYCOMPATIBLE: TypeId = TypeId(5077);
    pub const ANYCOMPATIBLEARRAY: TypeId = TypeId(5078);
    pub const ANYCOMPATIBLENONARRAY: TypeId = TypeId(5079);
    pub const CITEXT: TypeId = TypeId(2_000_003_001);
    pub const HSTORE: TypeId = TypeId(2_000_004_001);
    /// The first oid of what extensions add; no catalogue counts so far.
    pub const FIRST_OF_EXTENSIONS: Oid = 2_000_000_000;
    /// The first oid of user objects.
    pub const FIRST_USER: Oid = 16384;
}
