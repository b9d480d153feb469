import FoundationEssentials
import Testing

@testable import Postgres

@Suite struct SQLTests {
  @Test func `interpolated values become numbered placeholders`() {
    let sql: SQL = "select * from t where a = \(1) and b = \("x") and c = \(nil as Int?)"
    #expect(sql.text == "select * from t where a = $1 and b = $2 and c = $3")
    #expect(sql.parameters.slots.map(\.type) == [20, 25, 20])
    #expect(sql.parameters.slots.map(\.length) == [8, 1, -1])
  }

  @Test func `a statement spelled twice with other values has equal text`() {
    func find(_ id: UUID, _ name: String) -> SQL { "select 1 from t where id = \(id) and name = \(name)" }
    #expect(find(UUID(), "a").text == find(UUID(), "bbbb").text)
  }

  @Test func `fragments are renumbered where they are inserted, past nine placeholders too`() {
    let pair: SQL = "(\(1), \(2))"
    let all: SQL = "values \(SQL.joined(Array(repeating: pair, count: 6), separator: ", ")) limit \(3)"
    #expect(
      all.text
        == "values ($1, $2), ($3, $4), ($5, $6), ($7, $8), ($9, $10), ($11, $12) limit $13"
    )
    #expect(all.parameters.count == 13)
    let nested: SQL = "\(0) \(all) \(9)"
    #expect(nested.text.hasPrefix("$1 values ($2, $3)"))
    #expect(nested.text.hasSuffix("($12, $13) limit $14 $15"))
  }

  @Test func `fragments are concatenated with plus`() {
    let a: SQL = "select \(1)"
    let b: SQL = ", \(2)"
    #expect((a + b + " from t").text == "select $1, $2 from t")
  }

  @Test func `identifiers are quoted`() {
    let sql: SQL = "select \(identifier: "we\"ird") from \(identifier: "schema", "table")"
    #expect(sql.text == #"select "we""ird" from "schema"."table""#)
    #expect(("\(identifier: Identifier("a", "b"))" as SQL).text == #""a"."b""#)
  }

  @Test func `a description shows no values`() {
    let sql: SQL = "select \("secret")"
    #expect("\(sql)" == "select $1")
    #expect(
      TransactionOptions(settings: [.text("app.key", "secret")]).setting?.text.contains("secret") == false
    )
  }
}
