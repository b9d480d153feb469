/// Reads an object of a document and refuses unknown keys, so that a misspelt key is an error.
///
/// ```swift
/// let object = try StrictObject(decoder, keys: ["delay", "fire", "repeat", "max"])
/// delay = try object.required("delay")
/// limit = try object.optional("max")
/// ```
package struct StrictObject {
  private let container: KeyedDecodingContainer<NamedKey>

  /// Opens an object.
  ///
  /// - Throws: `unknown_key` for a key that is not in `keys`, with the nearest one as a hint.
  package init(_ decoder: any Decoder, keys: [String]) throws {
    container = try decoder.container(keyedBy: NamedKey.self)
    for key in container.allKeys where !keys.contains(key.stringValue) {
      let path = DocumentPath.text(container.codingPath + [key])
      let suggestion = Suggestion.closest(to: key.stringValue, among: keys)
      throw DomainError(
        .unknownKey,
        "\(path): unknown key \(Quoted(key.stringValue))",
        hint: suggestion.map { "did you mean \($0)?" } ?? "known keys: \(keys.joined(separator: ", "))",
        details: ["path": .string(path), "known": .strings(keys)]
      )
    }
  }

  /// True if the object has the key, null or not.
  package func has(_ key: String) -> Bool { container.contains(NamedKey(key)) }

  /// Returns the value of a required key.
  package func required<Value: Decodable>(_ key: String, as: Value.Type = Value.self) throws -> Value {
    guard has(key) else {
      let path = DocumentPath.text(container.codingPath)
      throw invalid(key, path.isEmpty ? "\(key) is missing" : "\(path): \(key) is missing")
    }
    return try read(key)
  }

  /// Returns the value of an optional key; nil if it is absent or null.
  package func optional<Value: Decodable>(_ key: String, as: Value.Type = Value.self) throws -> Value? {
    guard has(key), try !container.decodeNil(forKey: NamedKey(key)) else { return nil }
    return try read(key) as Value
  }

  /// Returns the value of a key that has a default.
  package func value<Value: Decodable>(_ key: String, default fallback: Value) throws -> Value {
    try optional(key) ?? fallback
  }

  /// Returns the named children of a key, in file order: a mapping from names, or an array of objects with a
  /// `name`.
  package func named<Child: NamedDecodable>(_ key: String, as: Child.Type = Child.self) throws -> [Child] {
    guard has(key) else { return [] }
    let decoder = try container.superDecoder(forKey: NamedKey(key))
    if var list = try? decoder.unkeyedContainer() {  // a mapping is read below
      var children: [Child] = []
      while !list.isAtEnd { children.append(try Child(name: nil, from: list.superDecoder())) }
      return children
    }
    let mapping = try decoder.container(keyedBy: NamedKey.self)
    return try mapping.allKeys.map { key in
      try Child(name: key.stringValue, from: mapping.superDecoder(forKey: key))
    }
  }

  /// Returns an error that names this object and one of its keys.
  package func invalid(_ key: String, _ message: String, hint: String? = nil) -> DomainError {
    let path = DocumentPath.text(container.codingPath + [NamedKey(key)])
    return DomainError(.invalidDocument, message, hint: hint, details: ["path": .string(path)])
  }

  private func read<Value: Decodable>(_ key: String) throws -> Value {
    do {
      return try container.decode(Value.self, forKey: NamedKey(key))
    } catch let refusal as DomainError where refusal.details["path"] == nil {
      // Errors of values lack the position.
      let path = DocumentPath.text(container.codingPath + [NamedKey(key)])
      var details = refusal.details
      details["path"] = .string(path)
      throw DomainError(refusal.code, "\(path): \(refusal.message)", hint: refusal.hint, details: details)
    }
  }
}

/// A value whose name is its key in a document: `states: { pending: { … } }`.
///
/// An array of objects with a `name` is valid too, since PostgreSQL's `jsonb` does not keep the order of
/// keys.
package protocol NamedDecodable {
  /// - Parameter name: nil when the body has it under `name`.
  init(name: String?, from decoder: any Decoder) throws
}
