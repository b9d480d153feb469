internal import Domain
internal import Postgres

/// Converts the traced statements of a push to a pgbench script, in which each run has new ids and numbers.
struct PushScriptWriter {
  /// The texts of values that differ in each run, with marks for the new ids and numbers.
  private(set) var templates: [String] = []
  /// The values that are the same in every run.
  private(set) var constants: [String: String] = [:]

  /// The ids of an earlier push too: of the company, the session and so on.
  private let known: Set<String>
  private let literals: Literals
  /// The number of the id of the first client's device.
  private let devices: Int
  /// The mark of new ids.
  private let ids: String
  /// The marks of new numbers.
  private let numbers: [String]

  private var names: [BoundValue: String] = [:]
  private var fresh: [String: Int] = [:]
  private var lines: [String] = []

  init(before: Literals, literals: Literals, devices: Int, ids: String, numbers: [String]) {
    known = Set(before.texts.flatMap(Self.uuids))
    self.literals = literals
    self.devices = devices
    self.ids = ids
    self.numbers = numbers
  }

  /// The script. The first statement computes the values that differ.
  var script: String {
    let replaced = numbers.reduce("replace(v.value, '\(ids)', p.id)") { "replace(\($0), '\($1)', p.base)" }
    let columns = templates.indices.map { "x.values[\($0 + 1)] as v\($0)" }
    let first = [
      "\\set n :n + 1", "\\set base (:run * 1000000 + :n) * 64 + :client_id",
      "with b as (select :base::text as base, lpad(:base::text, 20, '0') as digits),",
      "p as (select b.base, substr(b.digits, 1, 8) || '-' || substr(b.digits, 9, 4) || '-' || substr(b.digits, 13, 4)",
      "  || '-' || substr(b.digits, 17, 4) as id from b)",
      "select \(columns.joined(separator: ", "))",
      "from (select array_agg(\(replaced) order by v.n) as values from bench.push_value v cross join p) x \\gset",
    ]
    return (first + lines).joined(separator: "\n") + "\n"
  }

  mutating func add(_ roundTrip: [SQL]) {
    lines.append("\\startpipeline")
    for statement in roundTrip {
      let expressions = statement.boundValues.map { expression($0) }
      lines.append(statement.text { expressions[$0] } + ";")
    }
    lines.append("\\endpipeline")
  }

  private mutating func expression(_ value: BoundValue) -> String {
    let literal = literals[value]
    guard let text = literal.text else { return "null::\(literal.type)" }
    if value.type == PostgresType.timestamptz.oid { return "now()" }
    if text == Fixture.id(devices).text { return "lpad((\(devices) + :client_id)::text, 32, '0')::uuid" }
    if let name = names[value] { return ":\(name)::\(literal.type)" }
    let template = marked(text)
    let name: String
    if template == text, !numbers.contains(where: text.contains) {
      name = "k\(constants.count)"
      constants[name] = text
    } else {
      name = "v\(templates.count)"
      templates.append(template)
    }
    names[value] = name
    return ":\(name)::\(literal.type)"
  }

  /// Returns the text with a mark in place of each new id.
  private mutating func marked(_ text: String) -> String {
    var text = text
    for id in Set(Self.uuids(in: text)) where !known.contains(id) {
      let number = fresh[id] ?? fresh.count
      fresh[id] = number
      let digits = String(number)
      text = text.split(separator: id, omittingEmptySubsequences: false)
        .joined(separator: "\(ids)-\(String(repeating: "0", count: 12 - digits.count))\(digits)")
    }
    return text
  }

  /// Returns the ids in a text.
  private static func uuids(in text: String) -> [String] {
    text.matches(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/).map { String($0.output.0) }
  }
}
