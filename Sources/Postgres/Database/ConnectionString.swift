internal import CLibPQ

/// A connection string, a URL or a database name, parsed by libpq.
///
/// Nothing in an error of libpq about such a text may be shown: the error quotes the text, which may contain
/// a password.
package struct ConnectionString: Sendable, Equatable {
  /// The parameters that the text sets, by libpq's names. Escapes are decoded.
  package let parameters: [String: String]

  /// Parses a text as `psql` would. Returns nil if libpq refuses it.
  package init?(_ text: String) {
    let isURL = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    guard isURL || text.contains("=") else {
      parameters = ["dbname": text]
      return
    }
    guard let options = PQconninfoParse(text, nil) else { return nil }
    defer { PQconninfoFree(options) }
    var found: [String: String] = [:]
    var option = options
    while let name = option.pointee.keyword {
      if let value = option.pointee.val { found[String(cString: name)] = String(cString: value) }
      option += 1
    }
    parameters = found
  }

  /// The names of the parameters in the text that are passwords.
  package var secrets: [String] {
    ["password", "sslpassword"].filter { parameters[$0]?.isEmpty == false }
  }

  /// Returns parameters as a connection string of `name='value'` pairs.
  package static func text(_ parameters: [String: String]) -> String {
    parameters.sorted { $0.key < $1.key }.map { name, value in
      let escaped = value.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }
      return "\(name)='\(String(escaped))'"
    }.joined(separator: " ")
  }
}
