/// A PostgreSQL type and its array type, by OID.
///
/// ```swift
/// let interval = PostgresType(oid: 1186, arrayOID: 1187)  // select oid, typarray from pg_type
/// ```
public struct PostgresType: Sendable, Hashable {
  /// The OID of the type; 0 lets the server infer the type from the statement.
  public let oid: UInt32
  /// The OID of the array type; 0 if there is none.
  public let arrayOID: UInt32

  /// Creates a type from its OIDs, for types without a constant here. The OIDs of user-defined types differ
  /// between databases: use ``inferred`` for these.
  public init(oid: UInt32, arrayOID: UInt32) {
    self.oid = oid
    self.arrayOID = arrayOID
  }

  /// `boolean`.
  public static let bool = PostgresType(oid: 16, arrayOID: 1000)
  /// `bytea`.
  public static let bytea = PostgresType(oid: 17, arrayOID: 1001)
  /// `"char"`, the one-byte internal type.
  public static let char = PostgresType(oid: 18, arrayOID: 1002)
  /// `name`.
  public static let name = PostgresType(oid: 19, arrayOID: 1003)
  /// `bigint`.
  public static let int8 = PostgresType(oid: 20, arrayOID: 1016)
  /// `smallint`.
  public static let int2 = PostgresType(oid: 21, arrayOID: 1005)
  /// `integer`.
  public static let int4 = PostgresType(oid: 23, arrayOID: 1007)
  /// `text`.
  public static let text = PostgresType(oid: 25, arrayOID: 1009)
  /// `oid`.
  public static let oid = PostgresType(oid: 26, arrayOID: 1028)
  /// `json`.
  public static let json = PostgresType(oid: 114, arrayOID: 199)
  /// `xml`.
  public static let xml = PostgresType(oid: 142, arrayOID: 143)
  /// `real`.
  public static let float4 = PostgresType(oid: 700, arrayOID: 1021)
  /// `double precision`.
  public static let float8 = PostgresType(oid: 701, arrayOID: 1022)
  /// An untyped literal.
  public static let unknown = PostgresType(oid: 705, arrayOID: 0)
  /// `character(n)`.
  public static let bpchar = PostgresType(oid: 1042, arrayOID: 1014)
  /// `character varying`.
  public static let varchar = PostgresType(oid: 1043, arrayOID: 1015)
  /// `date`.
  public static let date = PostgresType(oid: 1082, arrayOID: 1182)
  /// `time without time zone`.
  public static let time = PostgresType(oid: 1083, arrayOID: 1183)
  /// `timestamp with time zone`.
  public static let timestamptz = PostgresType(oid: 1184, arrayOID: 1185)
  /// `numeric`.
  public static let numeric = PostgresType(oid: 1700, arrayOID: 1231)
  /// `uuid`.
  public static let uuid = PostgresType(oid: 2950, arrayOID: 2951)
  /// `jsonb`.
  public static let jsonb = PostgresType(oid: 3802, arrayOID: 3807)
  /// Text whose type the server infers: an enum, a domain, a citext.
  public static let inferred = PostgresType(oid: 0, arrayOID: 1009)

  private static let names: [(PostgresType, String)] = [
    (.bool, "boolean"), (.bytea, "bytea"), (.char, "\"char\""), (.name, "name"), (.int8, "bigint"),
    (.int2, "smallint"), (.int4, "integer"), (.text, "text"), (.oid, "oid"), (.json, "json"), (.xml, "xml"),
    (.float4, "real"), (.float8, "double precision"), (.bpchar, "character"), (.varchar, "character varying"),
    (.date, "date"), (.time, "time"), (.timestamptz, "timestamp with time zone"), (.numeric, "numeric"),
    (.uuid, "uuid"), (.jsonb, "jsonb"),
  ]

  /// Returns the name and OID of a built-in type, or only the OID, for messages.
  static func describe(_ oid: UInt32) -> String {
    for (type, name) in names {
      if type.oid == oid { return "\(name) (OID \(oid))" }
      if type.arrayOID == oid { return "\(name)[] (OID \(oid))" }
    }
    return "OID \(oid)"
  }

  /// Returns true if this is a built-in type other than an array.
  static func isScalar(_ oid: UInt32) -> Bool {
    names.contains { $0.0.oid == oid }
  }
}
