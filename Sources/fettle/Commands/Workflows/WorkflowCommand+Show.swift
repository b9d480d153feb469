internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Postgres
internal import Store
internal import Terminal

extension WorkflowCommand {
  /// The output formats of a workflow.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, mermaid, dot, svg, file
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a workflow as tables, or draw it",
      scope: .companyOrAll,
      discussion: """
        With --company, shows the version that the company follows, with its overlay
        applied. JSON and YAML are one object with states and transitions; CSV and JSON
        lines contain the transitions only.

        Examples:
          fettle workflow show maintenance.entry
          fettle workflow show maintenance.entry --format svg > entry.svg
          fettle workflow show maintenance.entry --format dot | dot -Tpng > entry.png
          fettle workflow show inventory.claim --format mermaid --company acme
          fettle workflow show maintenance.entry --format file > entry.workflow.yaml
        """
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "Workflow, such as maintenance.entry") var workflow: String
    @Option(help: "Format of the result") var format: Format = .table
    @Option(help: "Version (default: the company's version, or the newest)") var version: Int?

    func run() async throws {
      let summary = try await company.withWorkflows { workflows, acting in
        try await workflows.show(workflow, acting, version: version)
      }
      let definition = summary.definition
      switch format {
      case .mermaid: try write(WorkflowDrawing.mermaid(definition))
      case .dot: try write(WorkflowDrawing.dot(definition))
      case .svg: try write(WorkflowSVG.picture(definition))
      case .file: try write(YAMLDocumentText.encode(Cell(WorkflowDocument.object(of: definition))))
      case .table where [.json, .yaml].contains(output.output) && output.isPlain:
        try output.printRecord([
          DetailGroup([
            (Column("workflow"), .string(workflow)), (Column("version"), .integer(definition.version)),
            (Column("tightened"), .bool(summary.isTightened)),
          ]),
          DetailGroup("states", Column("states"), WorkflowText.states(of: definition)),
          DetailGroup("transitions", Column("transitions"), WorkflowText.transitions(of: definition)),
        ])
      case .table:
        if output.isForPeople {
          try output.print(WorkflowText.states(of: definition))
          try write("\n")
        }
        try output.print(
          WorkflowText.transitions(of: definition),
          forPeople: [
            "transition", "from", "to", "by", "permission", "requires", "accepts", "guards", "effects",
          ]
        )
        if output.output == .table {
          let tightened = summary.isTightened ? ", tightened by the company" : ""
          Message.tell("\(workflow), version \(definition.version)\(tightened)")
        }
      }
    }

    private func write(_ text: String) throws {
      var out = BufferedOutput()
      try out.write(text)
      try out.flush()
    }
  }
}

/// Formats a workflow as tables.
enum WorkflowText {
  static func states(of definition: WorkflowDefinition) -> Table {
    let colors = definition.states.compactMap { state in
      Color(rawValue: state.color == .grey ? "gray" : state.color.rawValue).map { (state.name, $0) }
    }
    return Table(
      columns: [
        Column("state", kind: .status(Dictionary(colors) { first, _ in first })), Column("label"),
        Column("category"),
        Column("final"), Column("timers"),
      ],
      rows: definition.states.map { state in
        [
          .string(state.name), .string(state.label), .string(state.category.rawValue), .bool(state.isFinal),
          .list(state.timers.map { .string(words($0)) }),
        ]
      }
    )
  }

  static func transitions(of definition: WorkflowDefinition) -> Table {
    Table(
      columns: [
        Column("transition"), Column("label"), Column("from"), Column("to"), Column("by"),
        Column("permission"),
        Column("requires"), Column("accepts"), Column("guards"), Column("distinct_from"), Column("sets"),
        Column("effects"),
        Column("disabled"),
      ],
      rows: definition.transitions.map { transition in
        [
          .string(transition.name), .string(transition.label), .list(transition.from.map { .string($0) }),
          .string(transition.to), .string(transition.isDisabled ? "nobody" : transition.by.rawValue),
          .optional(transition.permission?.name), .list(requires(transition).map { .string($0) }),
          .list(transition.givenTimes.map { .string($0) }),
          .list(transition.guards.map { .string($0.path) }),
          .list(transition.distinctFrom.map { .string($0) }),
          .list(transition.set.map { .string($0.column) }),
          .list(transition.effects.map { .string(words($0)) }),
          .bool(transition.isDisabled),
        ]
      }
    )
  }

  private static func requires(_ transition: WorkflowTransition) -> [String] {
    transition.require.fields + (transition.require.commentMinimum.map { ["comment of \($0)"] } ?? [])
  }

  private static func words(_ timer: TimerDefinition) -> String {
    let every = timer.interval.map { ", every \($0)" } ?? ""
    return "\(timer.fire) after \(timer.delay)\(every)\(timer.limit.map { ", \($0) times" } ?? "")"
  }

  private static func words(_ effect: Effect) -> String {
    switch effect {
    case .notify(let to, let template): "notify \(to.text) \(template)"
    case .webhook(let event): "webhook \(event)"
    case .job(let kind): "job \(kind)"
    case .create(let type, _): "create \(type)"
    }
  }
}
