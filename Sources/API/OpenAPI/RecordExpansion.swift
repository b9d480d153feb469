internal import Domain
internal import Store

/// Expands the routes of records, whose pattern begins with `/v1/{app}/{type}`, to each installed type.
struct RecordExpansion {
  /// The beginning of the pattern of a route that serves every record type.
  static let pattern = "/v1/{app}/{type}"

  private let type: RecordType
  private let schema: RecordSchema

  init(_ type: RecordType, _ schema: RecordSchema) {
    self.type = type
    self.schema = schema
  }

  /// True if a route serves every record type.
  static func applies(to route: Route) -> Bool {
    route.pattern == pattern || route.pattern.hasPrefix(pattern + "/")
  }

  /// Returns the route for the type.
  ///
  /// It is nil if the route takes a transition and the type has none, if it changes fields and none can change, or if it
  /// creates records and a route of their own does.
  func route(_ route: Route) -> Route? {
    if route.placeholders.contains("transition"), schema.transitions.isEmpty { return nil }
    if case .component(RecordSchema.Part.patch.rawValue) = route.operation.request,
      type.definition.editable.isEmpty
    {
      return nil
    }
    if route.method == .post, route.pattern == Self.pattern, !type.isCreatedAsRecord { return nil }
    let name = type.name.split(separator: ".").joined(separator: "/")
    return Route(
      route.method,
      "/v1/\(name)" + route.pattern.dropFirst(Self.pattern.count),
      operation(route.operation),
      admission: route.admission,
      body: route.body,
      handler: route.handler
    )
  }

  private func operation(_ operation: Operation) -> Operation {
    let names = schema.names
    var path = operation.path
    if !schema.transitions.isEmpty { path["transition"] = .enumeration(schema.transitions) }
    return Operation(
      id(operation.id),
      tag: type.app,
      "\(operation.summary) (\(type.name))",
      path: path,
      parameters: operation.parameters.map(parameter)
        + (operation.parameters.contains { $0.name == "where" } ? [filters] : []),
      request: operation.request?.replacing(names),
      requestMediaType: operation.requestMediaType,
      answers: operation.answers.map { answer in
        Operation.Answer(
          answer.status,
          answer.description,
          answer.schema?.replacing(names),
          mediaType: answer.mediaType
        )
      },
      errors: operation.errors
    )
  }

  /// Returns the id for the type: `listRecords` of `maintenance.entry` is `listMaintenanceEntries`.
  private func id(_ id: String) -> String {
    let name = type.name.split { $0 == "." || $0 == "_" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
      .joined()
    let plural = name.hasSuffix("y") ? name.dropLast() + "ies" : name + "s"
    if id.contains("Records") { return id.replacing("Records", with: plural) }
    return id.contains("Record") ? id.replacing("Record", with: name) : id + name
  }

  private func parameter(_ parameter: Operation.Parameter) -> Operation.Parameter {
    guard parameter.name == "sort", parameter.place == .query else { return parameter }
    let names = schema.sortable.map { "`\($0)`" }.joined(separator: ", ")
    return Operation.Parameter(
      parameter.name,
      parameter.description + " Columns: \(names).",
      parameter.schema,
      isRequired: parameter.isRequired,
      isRepeatable: parameter.isRepeatable
    )
  }

  /// The short form of filters: a column and its value, such as `status=pending`.
  private var filters: Operation.Parameter {
    Operation.Parameter(
      "filters",
      "Columns and the values that records must have, each as a parameter of its own: `status=pending`.",
      .object(schema.filters.map { .optional($0, .string) })
    )
  }
}
