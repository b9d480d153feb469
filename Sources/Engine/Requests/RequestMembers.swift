package import Domain
package import FoundationEssentials
internal import Secrets

/// Reads the members of an object of a request: a body, an operation of a batch, a change of a device.
///
/// ```swift
/// let body = try RequestMembers(object, ["role", "uses"])
/// let role = try body.text("role")
/// let uses = try body.optionalInteger("uses", 1...1_000) ?? 1
/// ```
///
/// A member that is null counts as absent. Errors name the member in their details.
package struct RequestMembers {
  /// The members as they were sent.
  package let members: JSONObject
  private let ranges: [String: ClosedRange<Int64>]
  private let longestText: Int

  /// Reads an object whose names are checked later, or not at all.
  ///
  /// - Parameters:
  ///   - ranges: the numbers that members may be, by name.
  ///   - longestText: the most bytes of a text for which the reader names no limit of its own.
  package init(_ members: JSONObject, ranges: [String: ClosedRange<Int64>] = [:], longestText: Int = .max) {
    self.members = members
    self.ranges = ranges
    self.longestText = longestText
  }

  /// Reads an object.
  ///
  /// - Parameter names: the members that the object may have.
  /// - Throws: `unknown_fields`.
  package init(_ members: JSONObject, _ names: [String], longestText: Int = .max) throws(DomainError) {
    self.init(members, longestText: longestText)
    try requireOnly(names)
  }

  /// Requires that there are no members but these.
  ///
  /// - Throws: `unknown_fields`, with the closest name as a hint.
  package func requireOnly(_ names: [String]) throws(DomainError) {
    let unknown = members.keys.filter { !names.contains($0) }
    guard let first = unknown.first else { return }
    throw DomainError(
      .unknownFields,
      "there is no member \(Quoted(first))",
      hint: Suggestion.closest(to: first, among: names).map { "did you mean \($0)?" }
        ?? (names.isEmpty ? "send no members" : "use only: \(names.joined(separator: ", "))"),
      details: ["fields": .strings(unknown)]
    )
  }

  /// Returns the members without some.
  package func without(_ names: String...) -> JSONObject {
    JSONObject(members.members.lazy.filter { !names.contains($0.key) }.map { ($0.key, $0.value) })
  }

  /// Returns a text: the first of several names, so that a member can have two spellings.
  ///
  /// - Throws: `missing_fields`; otherwise as ``optionalText(_:maximum:)``.
  package func text(_ names: String..., maximum: Int? = nil) throws(DomainError) -> String {
    for name in names {
      if let text = try optionalText(name, maximum: maximum) { return text }
    }
    return try given(nil, names[0])
  }

  /// Returns a text; nil if it is absent.
  ///
  /// - Parameter maximum: the most bytes; nil for the limit of the reader.
  /// - Throws: `invalid_input` for another value, `value_too_long`.
  package func optionalText(_ name: String, maximum: Int? = nil) throws(DomainError) -> String? {
    guard let text = try read(name, .invalidInput, "a string", \.string) else { return nil }
    let maximum = maximum ?? longestText
    guard text.utf8.count <= maximum else {
      throw DomainError(
        .valueTooLong,
        "\(name) is longer than \(maximum) bytes",
        details: ["fields": [.string(name)]]
      )
    }
    return text
  }

  /// Returns texts; nil if they are absent.
  ///
  /// - Throws: `invalid_input`.
  package func optionalTexts(_ name: String, most: Int = 1_000) throws(DomainError) -> [String]? {
    try elements(name, "strings", most: most)?.map { (element) throws(DomainError) in
      guard let text = element.string else { throw wrong(.invalidInput, name, "an array of strings") }
      return text
    }
  }

  /// Returns one of the raw values of an enumeration; nil if it is absent.
  ///
  /// - Throws: `invalid_input`.
  package func optionalChoice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String,
    _ type: Choice.Type
  )
    throws(DomainError) -> Choice?
  {
    let values = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    return try read(name, .invalidInput, "one of: \(values)") { $0.string.flatMap(Choice.init(rawValue:)) }
  }

  /// Returns true or false; nil if it is absent.
  ///
  /// - Throws: `invalid_input`.
  package func optionalBool(_ name: String) throws(DomainError) -> Bool? {
    try read(name, .invalidInput, "true or false", \.bool)
  }

  /// Returns an id.
  ///
  /// - Throws: `missing_fields`, `invalid_id`.
  package func id(_ name: String) throws(DomainError) -> UUID { try given(optionalID(name), name) }

  /// Returns an id; nil if it is absent.
  ///
  /// - Throws: `invalid_id`.
  package func optionalID(_ name: String) throws(DomainError) -> UUID? {
    try read(name, .invalidID, "an id") { $0.string.flatMap { UUID(text: $0) } }
  }

  /// Returns ids; nil if they are absent.
  ///
  /// - Throws: `invalid_input` for no array or too many, `invalid_id`.
  package func optionalIDs(_ name: String, most: Int) throws(DomainError) -> [UUID]? {
    try elements(name, "ids", most: most)?.map { (element) throws(DomainError) in
      guard let id = element.string.flatMap({ UUID(text: $0) }) else {
        throw wrong(.invalidID, name, "an array of ids")
      }
      return id
    }
  }

  /// Returns the version of a record; nil if it is absent.
  ///
  /// - Throws: `invalid_number`.
  package func version() throws(DomainError) -> Int64? { try optionalInteger("version", 1...Int64.max) }

  /// Returns a SHA-256 in hexadecimal; nil if it is absent.
  ///
  /// - Throws: `invalid_input`.
  package func optionalDigest(_ name: String) throws(DomainError) -> [UInt8]? {
    try read(name, .invalidInput, "a SHA-256 in hexadecimal") { value in
      value.string.flatMap { Hex.decode($0) }.flatMap { $0.count == 32 ? $0 : nil }
    }
  }

  /// Returns a whole number in the range that the schema names.
  ///
  /// - Throws: `missing_fields`, `invalid_number`.
  package func integer(_ name: String) throws(DomainError) -> Int { try given(optionalInteger(name), name) }

  /// Returns a whole number in the range that the schema names; nil if it is absent.
  ///
  /// - Throws: `invalid_number` for another value, also outside the range.
  package func optionalInteger(_ name: String) throws(DomainError) -> Int? {
    let range = ranges[name] ?? .min ... .max
    return try optionalInteger(name, Int(clamping: range.lowerBound)...Int(clamping: range.upperBound))
  }

  /// Returns a whole number.
  ///
  /// - Parameter range: the numbers that the schema of the member names too.
  /// - Throws: `missing_fields`, `invalid_number`.
  package func integer<Number: FixedWidthInteger>(_ name: String, _ range: ClosedRange<Number>)
    throws(DomainError) -> Number
  {
    try given(optionalInteger(name, range), name)
  }

  /// Returns a whole number; nil if it is absent.
  ///
  /// - Throws: `invalid_number` for another value, also outside the range.
  package func optionalInteger<Number: FixedWidthInteger>(_ name: String, _ range: ClosedRange<Number>)
    throws(DomainError) -> Number?
  {
    let kind =
      range.upperBound == .max
      ? "a whole number of at least \(range.lowerBound)"
      : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return try read(name, .invalidNumber, kind) { value in
      value.number?.integer.flatMap(Number.init(exactly:)).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Returns the numbers of changes.
  ///
  /// - Throws: `missing_fields`, `invalid_input`, `invalid_number`.
  package func numbers(_ name: String, most: Int) throws(DomainError) -> [Int64] {
    try given(elements(name, "numbers", most: most), name).map { (element) throws(DomainError) in
      guard let number = element.number?.integer, SyncBounds.numbers.contains(number) else {
        throw wrong(.invalidNumber, name, "an array of whole numbers of at least 1")
      }
      return number
    }
  }

  /// Returns a time, as clocks of clients write it; nil if it is absent.
  ///
  /// - Throws: `invalid_instant`.
  package func optionalInstant(_ name: String) throws(DomainError) -> Instant? {
    guard let text = try optionalText(name) else { return nil }
    guard let instant = Instant(clock: text) else {
      throw wrong(.invalidInstant, name, "a time such as 2026-11-22T08:00:00Z")
    }
    return instant
  }

  /// Returns an object; nil if it is absent.
  ///
  /// - Throws: `invalid_input`.
  package func optionalObject(_ name: String) throws(DomainError) -> JSONObject? {
    try read(name, .invalidInput, "an object", \.object)
  }

  /// Returns an array; nil if it is absent.
  ///
  /// - Throws: `invalid_input`.
  package func optionalArray(_ name: String) throws(DomainError) -> [JSONValue]? {
    try read(name, .invalidInput, "an array", \.array)
  }

  /// Returns objects; none if they are absent.
  ///
  /// - Throws: `invalid_input`, `payload_too_large`.
  package func objects(_ name: String, most: Int) throws(DomainError) -> [JSONObject] {
    let elements = try optionalArray(name) ?? []
    guard elements.count <= most else {
      throw DomainError(
        .payloadTooLarge,
        "\(name) has \(elements.count) elements, more than \(most)",
        hint: "send them in several requests",
        details: ["limit": .integer(most)]
      )
    }
    return try elements.map { (element) throws(DomainError) in
      guard let object = element.object else { throw wrong(.invalidInput, name, "an array of objects") }
      return object
    }
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

  private func elements(_ name: String, _ kind: String, most: Int) throws(DomainError) -> [JSONValue]? {
    try read(name, .invalidInput, "an array of at most \(most) \(kind)") { value in
      value.array.flatMap { $0.count <= most ? $0 : nil }
    }
  }

  private func read<Value>(
    _ name: String,
    _ code: ErrorCode,
    _ kind: @autoclosure () -> String,
    _ read: (JSONValue) -> Value?
  ) throws(DomainError) -> Value? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let found = read(value) else { throw wrong(code, name, kind()) }
    return found
  }

  private func wrong(_ code: ErrorCode, _ name: String, _ kind: String) -> DomainError {
    DomainError(code, "\(name) is not \(kind)", details: ["fields": [.string(name)]])
  }
}
