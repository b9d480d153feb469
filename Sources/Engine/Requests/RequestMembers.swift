package import Domain
package import FoundationEssentials
internal import Secrets

/// Reads the members of an object of a request one by one. Members that were not read are the rest.
package struct RequestMembers {
  /// The members that were not read.
  package private(set) var rest: JSONObject

  package init(_ object: JSONObject) { rest = object }

  /// Takes a text.
  ///
  /// - Throws: `missing_fields`, `invalid_input`.
  package mutating func text(_ name: String) throws(DomainError) -> String {
    try given(optionalText(name), name)
  }

  /// Takes a text; nil if it is absent or null.
  package mutating func optionalText(_ name: String) throws(DomainError) -> String? {
    guard let value = take(name) else { return nil }
    guard let text = value.string else { throw wrong(.invalidInput, name, "a string") }
    return text
  }

  /// Takes an id.
  ///
  /// - Throws: `missing_fields`, `invalid_id`.
  package mutating func id(_ name: String) throws(DomainError) -> UUID {
    try given(optionalID(name), name)
  }

  /// Takes an id; nil if it is absent or null.
  ///
  /// - Throws: `invalid_id`.
  package mutating func optionalID(_ name: String) throws(DomainError) -> UUID? {
    guard let value = take(name) else { return nil }
    guard let id = value.string.flatMap({ UUID(text: $0) }) else { throw wrong(.invalidID, name, "an id") }
    return id
  }

  /// Takes the version of a record; nil if it is absent or null.
  ///
  /// - Throws: `invalid_number`.
  package mutating func version() throws(DomainError) -> Int64? {
    try optionalInteger("version", 1...Int64.max)
  }

  /// Takes a SHA-256 in hexadecimal; nil if it is absent or null.
  ///
  /// - Throws: `invalid_input`.
  package mutating func optionalDigest(_ name: String) throws(DomainError) -> [UInt8]? {
    guard let text = try optionalText(name) else { return nil }
    guard let bytes = Hex.decode(text), bytes.count == 32 else {
      throw wrong(.invalidInput, name, "a SHA-256 in hexadecimal")
    }
    return bytes
  }

  /// Takes a whole number.
  ///
  /// - Parameter range: the numbers that the schema of the member names too.
  /// - Throws: `missing_fields`, `invalid_number`.
  package mutating func integer(_ name: String, _ range: ClosedRange<Int64>) throws(DomainError) -> Int64 {
    try given(optionalInteger(name, range), name)
  }

  /// Takes a whole number; nil if it is absent or null.
  ///
  /// - Throws: `invalid_number` for another value, also outside the range.
  package mutating func optionalInteger(_ name: String, _ range: ClosedRange<Int64>) throws(DomainError)
    -> Int64?
  {
    guard let value = take(name) else { return nil }
    guard let number = value.number?.integer, range.contains(number) else {
      let kind =
        range.upperBound == .max
        ? "a whole number of at least \(range.lowerBound)"
        : "a whole number from \(range.lowerBound) to \(range.upperBound)"
      throw wrong(.invalidNumber, name, kind)
    }
    return number
  }

  /// Takes a time; nil if it is absent or null.
  ///
  /// - Throws: `invalid_instant`.
  package mutating func optionalInstant(_ name: String) throws(DomainError) -> Instant? {
    guard let text = try optionalText(name) else { return nil }
    guard let instant = Instant(rfc3339: text) else {
      throw wrong(.invalidInstant, name, "a time such as 2026-11-22T08:00:00Z")
    }
    return instant
  }

  /// Takes an object; nil if it is absent or null.
  package mutating func optionalObject(_ name: String) throws(DomainError) -> JSONObject? {
    guard let value = take(name) else { return nil }
    guard let object = value.object else { throw wrong(.invalidInput, name, "an object") }
    return object
  }

  /// Takes an array; nil if it is absent or null.
  package mutating func optionalArray(_ name: String) throws(DomainError) -> [JSONValue]? {
    guard let value = take(name) else { return nil }
    guard let array = value.array else { throw wrong(.invalidInput, name, "an array") }
    return array
  }

  /// Takes an array of objects; empty if it is absent or null.
  package mutating func objects(_ name: String, most: Int) throws(DomainError) -> [JSONObject] {
    guard let elements = try optionalArray(name) else { return [] }
    guard elements.count <= most else {
      throw DomainError(
        .payloadTooLarge,
        "\(name) has \(elements.count) elements, more than \(most)",
        hint: "send them in several requests",
        details: ["limit": .integer(most)]
      )
    }
    var objects: [JSONObject] = []
    for element in elements {
      guard let object = element.object else { throw wrong(.invalidInput, name, "an array of objects") }
      objects.append(object)
    }
    return objects
  }

  /// Takes an array of the numbers of changes.
  package mutating func numbers(_ name: String, most: Int) throws(DomainError) -> [Int64] {
    guard let elements = try given(take(name), name).array, elements.count <= most else {
      throw wrong(.invalidInput, name, "an array of at most \(most) numbers")
    }
    var numbers: [Int64] = []
    for element in elements {
      guard let number = element.number?.integer, SyncBounds.numbers.contains(number) else {
        throw wrong(.invalidNumber, name, "an array of whole numbers of at least 1")
      }
      numbers.append(number)
    }
    return numbers
  }

  /// Returns a value that must be given.
  ///
  /// - Throws: `missing_fields`.
  package func given<Value>(_ value: Value?, _ name: String) throws(DomainError) -> Value {
    guard let value else {
      throw DomainError(.missingFields, "\(name) is missing", details: ["fields": [.string(name)]])
    }
    return value
  }

  /// Requires that every member was taken.
  ///
  /// - Throws: `unknown_fields`.
  package func requireNoRest() throws(DomainError) {
    guard !rest.isEmpty else { return }
    throw DomainError(
      .unknownFields,
      "unknown members: \(rest.keys.map { "\(Quoted($0))" }.joined(separator: ", "))",
      details: ["fields": .strings(rest.keys)]
    )
  }

  private mutating func take(_ name: String) -> JSONValue? {
    let value = rest[name]
    rest[name] = nil
    return value?.isNull == true ? nil : value
  }

  private func wrong(_ code: ErrorCode, _ name: String, _ kind: String) -> DomainError {
    DomainError(code, "\(name) is not \(kind)", details: ["fields": [.string(name)]])
  }
}
