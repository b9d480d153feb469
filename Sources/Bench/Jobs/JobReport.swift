/// One line of the table.
struct JobLine: Sendable {
  let name: String
  let values: [Double]
  let unit: String
}

enum JobReport {
  static func print(_ lines: [JobLine], facts: [(name: String, value: String)], plan: JobPlan) {
    for line in lines { Swift.print(line.name, line.values.median, line.unit) }
    Swift.print(facts)
  }
}
