extension Route {
  /// The name that two members of a body, two parameters or two placeholders have; nil if there is none. Two parts of a
  /// route would read the same value, each with a meaning of its own.
  package var repeatedName: String? {
    let schemas = [operation.request].compactMap(\.self) + operation.answers.compactMap(\.schema)
    for schema in schemas {
      if let name = schema.repeatedName { return name }
    }
    let parameters = Operation.Parameter.Place.allCases.lazy.compactMap { place in
      // Names of header fields have no case.
      operation.parameters.filter { $0.place == place }
        .map { place == .header ? $0.name.lowercased() : $0.name }.firstRepeated
    }
    return placeholders.firstRepeated ?? parameters.first
  }
}

extension Schema {
  /// The first name that two members of one object have; nil if there is none.
  fileprivate var repeatedName: String? {
    switch self {
    case .object(let members, _):
      members.map(\.name).firstRepeated ?? members.lazy.compactMap(\.schema.repeatedName).first
    case .array(let element, _): element.repeatedName
    case .nullable(let schema): schema.repeatedName
    case .string, .format, .enumeration, .text, .integer, .number, .boolean, .component, .raw: nil
    }
  }
}

extension [String] {
  /// The first element that occurs before; nil if all differ.
  fileprivate var firstRepeated: String? {
    var known: Set<String> = []
    return first { !known.insert($0).inserted }
  }
}
