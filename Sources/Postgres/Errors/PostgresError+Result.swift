internal import CLibPQ

extension PostgresError {
  /// Creates an error of kind `server` from a failed libpq result.
  ///
  /// - Parameter statement: its text becomes ``statement``, without the value of a setting.
  init(result: OpaquePointer, statement: SQL?) {
    func field(_ code: UInt8) -> String? {
      PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
    }
    var fields = PostgresErrorFields(
      kind: .server,
      message: field(UInt8(ascii: "M")) ?? Self.oneLine(PQresultErrorMessage(result))
    )
    fields.sqlState = field(UInt8(ascii: "C")).map(SQLState.init(rawValue:))
    fields.detail = field(UInt8(ascii: "D"))
    fields.hint = field(UInt8(ascii: "H"))
    fields.position = field(UInt8(ascii: "P")).flatMap { Int($0) }
    fields.innerPosition = field(UInt8(ascii: "p")).flatMap { Int($0) }
    fields.innerStatement = field(UInt8(ascii: "q"))
    fields.schema = field(UInt8(ascii: "s"))
    fields.table = field(UInt8(ascii: "t"))
    fields.column = field(UInt8(ascii: "c"))
    fields.constraint = field(UInt8(ascii: "n"))
    fields.reportedBy = field(UInt8(ascii: "R"))
    fields.statement = statement?.text
    self.init(fields)
  }

  /// Creates an error of kind `connection` from a failed libpq connection.
  init(connection: OpaquePointer?, statement: SQL? = nil) {
    let message = connection.map { Self.oneLine(PQerrorMessage($0)) } ?? ""
    var fields = PostgresErrorFields(
      kind: .connection,
      message: message.isEmpty ? "the connection to the server was lost" : message
    )
    fields.statement = statement?.text
    self.init(fields)
  }

  /// Returns the message on one line, with single spaces.
  private static func oneLine(_ message: UnsafePointer<CChar>?) -> String {
    guard let message else { return "" }
    // libpq breaks long messages into indented lines.
    return String(cString: message).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
