extension SQL {
  /// Collects the text and the bound values of an ``SQL`` literal. Used by the compiler; write a literal
  /// instead.
  public struct StringInterpolation: StringInterpolationProtocol {
    var utf8: [UInt8] = []
    var parameters = ParameterBuffer()
    /// False if a fragment is not to be kept prepared.
    var isKept = true
    /// The shortest limit of the fragments; `nil` if none is limited.
    var timeLimit: Duration?

    /// Reserves space for the literal's text and the placeholders.
    public init(literalCapacity: Int, interpolationCount: Int) {
      utf8.reserveCapacity(literalCapacity + interpolationCount * 4)
      parameters.reserveCapacity(interpolationCount)
    }

    /// Adds text of the literal unchanged.
    public mutating func appendLiteral(_ literal: StaticString) {
      literal.withUTF8Buffer { utf8.append(contentsOf: $0) }
    }

    /// Binds a value, as in `\(year)`: the text gets the next `$n`, and the value is sent separately.
    ///
    /// - Parameter value: encoded in PostgreSQL's binary format.
    public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T) {
      parameters.bind(value, at: utf8.count)
      appendPlaceholder(parameters.count)
    }

    /// Binds an optional value, as in `\(nullable: year)`; `nil` is sent as null.
    ///
    /// The label makes the optional explicit and avoids the compiler's warning about optionals in
    /// interpolations.
    public mutating func appendInterpolation<T: PostgresEncodable>(nullable value: T?) {
      parameters.bind(value, at: utf8.count)
      appendPlaceholder(parameters.count)
    }

    /// Inserts the text of a literal, such as the name of a setting.
    mutating func appendInterpolation(literal: StaticString) { appendLiteral(literal) }

    /// Inserts a fragment, renumbering its placeholders.
    public mutating func appendInterpolation(_ fragment: SQL) {
      append(fragment)
    }

    /// Inserts a quoted name, as in `\(identifier: table)`, or a dotted path of names such as a schema and
    /// its table.
    public mutating func appendInterpolation(identifier parts: String...) {
      Identifier.append(parts, to: &utf8)
    }

    /// Inserts a quoted name that was created before.
    ///
    /// Names cannot be bound as values; quoting makes any name safe.
    public mutating func appendInterpolation(identifier: Identifier) {
      Identifier.append(identifier.parts, to: &utf8)
    }

    /// Appends a fragment's text with renumbered placeholders, and its values.
    mutating func append(_ fragment: SQL) {
      isKept = isKept && fragment.isKept
      if let limit = fragment.timeLimit { timeLimit = min(limit, timeLimit ?? limit) }
      guard fragment.parameters.count > 0 else {
        utf8.append(contentsOf: fragment.utf8)
        return
      }
      let base = parameters.count
      var copied = 0
      for (index, slot) in fragment.parameters.slots.enumerated() {
        let placeholder = Int(slot.placeholder)
        utf8.append(contentsOf: fragment.utf8[copied..<placeholder])
        parameters.append(slot, of: fragment.parameters, at: utf8.count)
        appendPlaceholder(base + index + 1)
        copied = placeholder + 1 + decimalDigits(index + 1)
      }
      utf8.append(contentsOf: fragment.utf8[copied...])
    }

    private mutating func appendPlaceholder(_ number: Int) {
      utf8.append(UInt8(ascii: "$"))
      if number < 10 {
        utf8.append(UInt8(ascii: "0") + UInt8(number))
      } else {
        utf8.append(contentsOf: String(number).utf8)
      }
    }

    private func decimalDigits(_ number: Int) -> Int {
      var digits = 1
      var rest = number / 10
      while rest > 0 {
        digits += 1
        rest /= 10
      }
      return digits
    }
  }
}
