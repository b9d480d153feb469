internal import FoundationEssentials
internal import Postgres

/// A bound value as text: what pgbench can bind.
struct Literal {
  /// The type's name in SQL.
  let type: String
  /// Nil for null.
  let text: String?

  init(_ value: BoundValue) {
    type = Self.names[value.type] ?? "text"
    text = value.bytes.map { bytes in
      switch value.type {
      case PostgresType.bool.oid: bytes.first == 1 ? "true" : "false"
      case PostgresType.int2.oid, PostgresType.int4.oid, PostgresType.int8.oid: String(value.integer ?? 0)
      case PostgresType.float8.oid: String(Double(bitPattern: UInt64(bitPattern: value.integer ?? 0)))
      case PostgresType.uuid.oid: Self.uuid(bytes)
      case PostgresType.bytea.oid: "\\x" + bytes.map(Self.hex).joined()
      case PostgresType.jsonb.oid: String(decoding: bytes.dropFirst(), as: UTF8.self)
      case PostgresType.text.arrayOID: Self.array(bytes)
      default: String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  private static let names: [UInt32: String] = [
    PostgresType.bool.oid: "boolean", PostgresType.int2.oid: "smallint", PostgresType.int4.oid: "integer",
    PostgresType.int8.oid: "bigint", PostgresType.float8.oid: "double precision",
    PostgresType.uuid.oid: "uuid",
    PostgresType.bytea.oid: "bytea", PostgresType.jsonb.oid: "jsonb", PostgresType.text.oid: "text",
    PostgresType.text.arrayOID: "text[]", PostgresType.timestamptz.oid: "timestamptz",
  ]

  private static func hex(_ byte: UInt8) -> String {
    String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
  }

  private static func uuid(_ bytes: [UInt8]) -> String { bytes.map(hex).joined() }

  /// An array of texts without nulls: a header of 20 bytes, then each with its length.
  private static func array(_ bytes: [UInt8]) -> String {
    var elements: [String] = []
    var rest = bytes.dropFirst(20)
    while rest.count >= 4 {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      elements.append("\"" + String(decoding: rest.dropFirst(4).prefix(length), as: UTF8.self) + "\"")
      rest = rest.dropFirst(4 + length)
    }
    return "{" + elements.joined(separator: ",") + "}"
  }
}
