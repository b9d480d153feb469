package import Domain

/// The header fields of a request or an answer. Names are compared without case.
package struct APIHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// The fields in order, with names in lower case.
  package private(set) var fields: [(name: String, value: String)]

  package init(_ fields: [(name: String, value: String)] = []) {
    self.fields = fields.map { ($0.name.lowercased(), $0.value) }
  }

  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }

  /// The first value of a field; nil if there is none. Setting replaces all values.
  package subscript(_ name: String) -> String? {
    get {
      let name = name.lowercased()
      return fields.first { $0.name == name }?.value
    }
    set {
      let name = name.lowercased()
      fields.removeAll { $0.name == name }
      if let newValue { fields.append((name, newValue)) }
    }
  }

  /// Returns the value of a field that decides who the caller is; nil if there is none. A repeated field is refused: a
  /// proxy in front may have checked, or written, another one of them.
  ///
  /// - Throws: `malformed_request`.
  package func single(_ name: String) throws(DomainError) -> String? {
    let values = all(name)
    guard values.count < 2 else {
      throw DomainError(.malformedRequest, "the header field \(name.lowercased()) is given more than once")
    }
    return values.first
  }

  /// Returns all values of a field, in order.
  package func all(_ name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { $0.name == name }.map(\.value)
  }

  /// Adds a value to a field.
  package mutating func add(_ name: String, _ value: String) { fields.append((name.lowercased(), value)) }
}
