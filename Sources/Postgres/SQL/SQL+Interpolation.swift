extension SQL {
  /// What `"… \(value) …"` becomes while an ``SQL`` literal is put together.
  public struct StringInterpolation: StringInterpolationProtocol {
    var utf8: [UInt8] = []
    var parameters = ParameterBuffer()
    var isKept = true

    /// Makes room for the literal's text and two or three digits for each value.
    public init(literalCapacity: Int, interpolationCount: Int) {
      utf8.reserveCapacity(literalCapacity + interpolationCount * 4)
      parameters.reserveCapacity(interpolationCount)
    }

    /// Adds text that stands in the source code.
    public mutating func appendLiteral(_ literal: StaticString) {
      literal.withUTF8Buffer { utf8.append(contentsOf: $0) }
    }

    /// Binds a value: the text gets the next `$n`, the value travels beside it.
    public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T) {
      parameters.bind(value, at: utf8.count)
      appendPlaceholder(parameters.count)
    }

    /// Binds a value that may be missing; nil travels as null.
    ///
    /// The label says so where it is written, and keeps the compiler from warning that an optional is printed.
    public mutating func appendInterpolation<T: PostgresEncodable>(nullable value: T?) {
      parameters.bind(value, at: utf8.count)
      appendPlaceholder(parameters.count)
    }

    /// Inserts a piece of SQL, renumbering its placeholders after those that are already there.
    public mutating func appendInterpolation(_ fragment: SQL) {
      append(fragment)
    }

    /// Inserts a quoted name, or a dotted path of names such as a schema and its table.
    public mutating func appendInterpolation(identifier parts: String...) {
      Identifier.append(parts, to: &utf8)
    }

    /// Inserts a quoted name that was put together before.
    public mutating func appendInterpolation(identifier: Identifier) {
      Identifier.append(identifier.parts, to: &utf8)
    }

    mutating func append(_ fragment: SQL) {
      isKept = isKept && fragment.isKept
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
