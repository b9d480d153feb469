package import Domain
package import Engine

extension RequestMembers {
  /// Reads a JSON body. The schema of the request names its members, in the document too.
  ///
  /// - Throws: `invalid_json`, `unknown_fields`.
  // The optimizer of Swift 6.3 crashes where this is inlined into some asynchronous functions.
  @inline(never)
  package init(_ request: APIRequest, longestText: Int = 32_768) throws {
    try self.init(request.json(), request.schema, longestText: longestText)
  }

  /// Reads an object of a schema. Members that the schema does not name are refused if it is a closed object.
  ///
  /// - Throws: `unknown_fields`.
  @inline(never)
  package init(_ object: JSONObject, _ schema: Schema?, longestText: Int = 32_768) throws(DomainError) {
    guard case .object(let members, let isOpen) = schema else {
      self.init(object, longestText: longestText)
      return
    }
    let ranges = members.compactMap { member in member.schema.range.map { (member.name, $0) } }
    self.init(object, ranges: Dictionary(ranges) { first, _ in first }, longestText: longestText)
    if !isOpen { try requireOnly(members.map(\.name)) }
  }
}

extension Schema {
  /// The whole numbers that a value may be; nil for another schema.
  fileprivate var range: ClosedRange<Int64>? {
    switch self {
    case .integer(let minimum, let maximum): (minimum ?? .min)...(maximum ?? .max)
    case .nullable(let schema): schema.range
    case .string, .format, .enumeration, .text, .number, .boolean, .array, .object, .component, .raw: nil
    }
  }
}
