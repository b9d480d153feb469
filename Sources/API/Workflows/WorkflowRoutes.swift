internal import Domain
package import Engine

/// The routes of the workflows that a company follows.
package struct WorkflowRoutes: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  package var routes: [Route] { [list, show, activate] }

  private var list: Route {
    Route(
      .get,
      "/v1/workflows",
      Operation(
        "listWorkflows",
        tag: "workflows",
        "List the workflows that the company follows",
        answers: [Operation.Answer(200, "All workflows", ListAnswer.schema(of: .object(Self.members)))]
      )
    ) { request in
      let acting = try request.acting()
      return ListAnswer.page(try await workflows().list(acting).map(Self.json))
    }
  }

  private var show: Route {
    Route(
      .get,
      "/v1/workflows/{workflow}",
      Operation(
        "showWorkflow",
        tag: "workflows",
        "Show a workflow with its states and transitions",
        parameters: [
          Operation.Parameter("version", "Version (default: the followed one)", .integer(minimum: 1))
        ],
        answers: [
          Operation.Answer(
            200,
            "The workflow",
            .object(
              Self.members.map { member in
                ["states", "transitions"].contains(member.name)
                  ? Schema.Member(member.name, .array(of: .anyObject)) : member
              }
            )
          )
        ]
      )
    ) { request in
      let text = StrictQuery(request).text("version")
      let version = try text.map { text in
        guard text.utf8.count <= 6, let version = Int(text), version > 0 else {
          throw DomainError(.invalidInput, "version=\(Quoted(text)) is not a positive whole number")
        }
        return version
      }
      let acting = try request.acting()
      let summary = try await workflows().show(try request.parameter("workflow"), acting, version: version)
      var json = Self.json(summary)
      json["states"] = .array(summary.definition.states.map { Self.json($0) })
      json["transitions"] = .array(summary.definition.transitions.map { Self.json($0) })
      return .json(json)
    }
  }

  private var activate: Route {
    Route(
      .post,
      "/v1/workflows/{workflow}/activate",
      Operation(
        "activateWorkflow",
        tag: "workflows",
        "Move the company and its records to another version; repeat the request after an interruption",
        request: .object([
          Schema.Member("version", .integer(1...1_000_000)),
          .optional("dry_run", .boolean, "Only counts the records"),
        ]),
        answers: [
          Operation.Answer(
            200,
            "The result",
            .object([
              Schema.Member("workflow", .string), Schema.Member("version", .integer(minimum: 1)),
              Schema.Member("changed", .boolean), Schema.Member("moving", .integer(minimum: 0)),
              Schema.Member("moved", .integer(minimum: 0)),
            ])
          )
        ],
        errors: [.stale, .statesStillUsed]
      )
    ) { request in
      let body = try RequestMembers(request)
      let version = try body.integer("version")
      let name = try request.parameter("workflow")
      let acting = try request.acting()
      let result = try await workflows().activate(
        acting,
        type: name,
        version: version,
        dryRun: try body.optionalBool("dry_run") ?? false
      )
      return .json([
        "workflow": .string(name), "version": .integer(version), "changed": .bool(result.changed),
        "moving": .integer(result.plan.moving), "moved": .integer(result.moved),
      ])
    }
  }

  private func workflows() async throws -> Workflows {
    Workflows(services, try await Records.open(services))
  }

  private static func json(_ summary: WorkflowSummary) -> JSONObject {
    [
      "workflow": .string(summary.type), "version": .integer(summary.definition.version),
      "newest": JSONCell.integer(summary.versions.last), "moving_to": JSONCell.integer(summary.next),
      "tightened": .bool(summary.isTightened), "states": .strings(summary.definition.states.map(\.name)),
      "transitions": .strings(summary.definition.transitions.map(\.name)),
    ]
  }

  private static func json(_ state: WorkflowState) -> JSONValue {
    [
      "state": .string(state.name), "label": .string(state.label),
      "category": .string(state.category.rawValue),
      "color": .string(state.color.rawValue), "final": .bool(state.isFinal),
      "timers": .array(state.timers.map { ["fire": .string($0.fire), "after": .string("\($0.delay)")] }),
    ]
  }

  private static func json(_ transition: WorkflowTransition) -> JSONValue {
    [
      "transition": .string(transition.name), "label": .string(transition.label),
      "from": .strings(transition.from), "to": .string(transition.to),
      "by": .string(transition.isDisabled ? "nobody" : transition.by.rawValue),
      "permission": JSONCell.text(transition.permission?.name),
      "requires": .strings(transition.require.fields), "accepts": .strings(transition.givenTimes),
      "comment_minimum": transition.require.commentMinimum.map { .integer($0) } ?? .null,
      "guards": .strings(transition.guards.map(\.path)), "distinct_from": .strings(transition.distinctFrom),
      "sets": .strings(transition.set.map(\.column)), "disabled": .bool(transition.isDisabled),
    ]
  }

  private static let members = [
    Schema.Member("workflow", .string), Schema.Member("version", .integer(minimum: 1)),
    Schema.Member("newest", .nullable(.integer(minimum: 1))),
    Schema.Member("moving_to", .nullable(.integer(minimum: 1))), Schema.Member("tightened", .boolean),
    Schema.Member("states", .array(of: .string)), Schema.Member("transitions", .array(of: .string)),
  ]
}
