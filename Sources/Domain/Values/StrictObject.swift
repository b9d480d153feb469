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
  /// - Parameter keys: the keys that the object may have.
  /// - Throws: `unknown_key` for another key, with the closest known one as a hint; the decoder's error if
  ///   the value is not an object.
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

  /// True if the object has the key, even with the value null.
  package func has(_ key: String) -> Bool { container.contains(NamedKey(key)) }

  /// Returns the value of a required key.
  ///
  /// - Throws: `invalid_document` if the key is missing; the errors of the value, with its path.
  package func required<Value: Decodable>(_ key: String, as: Value.Type = Value.self) throws -> Value {
    guard has(key) else {
      let path = DocumentPath.text(container.codingPath)
      throw invalid(key, path.isEmpty ? "\(key) is missing" : "\(path): \(key) is missing")
    }
    return try read(key)
  }

  /// Returns the value of an optional key; nil if it is missing or null.
  ///
  /// - Throws: the errors of the value, with its path.
  package func optional<Value: Decodable>(_ key: String, as: Value.Type = Value.self) throws -> Value? {
    guard has(key), try !container.decodeNil(forKey: NamedKey(key)) else { return nil }
    return try read(key) as Value
  }

  /// Returns the value of a key, or the default if it is missing or null.
  ///
  /// - Throws: the errors of the value, with its path.
  package func value<Value: Decodable>(_ key: String, default fallback: Value) throws -> Value {
    try optional(key) ?? fallback
  }

  /// Returns the named children of a key in file order; empty if the key is missing.
  ///
  /// The value is a mapping from names to children, or an array of objects with a `name`.
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

  /// Returns an `invalid_document` error whose details name the path of a key in this object.
  package func invalid(_ key: String, _ message: String, hint: String? = nil) -> DomainError {
    let path = DocumentPath.text(container.codingPath + [NamedKey(key)])
    return DomainError(.invalidDocument, message, hint: hint, details: ["path": .string(path)])
  }

  private func read<Value: Decodable>(_ key: String) throws -> Value {
    do {
      return try container.decode(Value.self, forKey: NamedKey(key))
    } catch let refusal as DomainError where refusal.details["path"] == nil {
      // Values do not know their path, so it is added here.
      let path = DocumentPath.text(container.codingPath + [NamedKey(key)])
      var details = refusal.details
      details["path"] = .string(path)
      throw DomainError(refusal.code, "\(path): \(refusal.message)", hint: refusal.hint, details: details)
    }
  }
}

/// A value whose key in a document is its name: `states: { pending: { … } }`.
///
/// It can also be an element of an array, with a `name`, because PostgreSQL's `jsonb` does not keep the order
/// of keys.
package protocol NamedDecodable {
  /// Decodes a named value.
  ///
  /// - Parameter name: the key of the value; nil if the value contains its `name`.
  init(name: String?, from decoder: any Decoder) throws
}
