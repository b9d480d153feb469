import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// The rules of the app against those of Swift and PostgreSQL, by vectors that these have written.
@Suite(.timeLimit(.minutes(60))) struct FieldVectorsTests {
  /// Returns the differences that a script finds between a file of vectors and a module of the app.
  private static func differences(_ file: String, _ module: String, _ script: String) async throws
    -> JSONValue
  {
    let shop = try await BrowserShop.shared()
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: folder.appending(path: "Vectors/\(file)"), encoding: .utf8)
    return try await Browser.open { browser in
      try await browser.open("\(shop.base)/app/")
      return try await browser.executeWaiting(
        """
        const [text, name, done] = arguments
        const place = new URL(name, document.querySelector('script[type=module]').src).href
        import(place).then(app => { const vectors = JSON.parse(text); \(script) }).catch(error => done(String(error)))
        """,
        .string(text),
        .string(module)
      )
    }
  }

  @Test func `a change in the queue moves as SyncItem does`() async throws {
    let found = try await Self.differences(
      "sync-item.json",
      "item.js",
      """
      const moved = vectors.moves.filter(({status, attempts, event, to}) => {
        let result = null
        try { result = app.after({status, attempts}, event) } catch { /* refused */ }
        return JSON.stringify(result) !== JSON.stringify(to)
      })
      const judged = vectors.judgements.filter(one => app.EVENTS[one.judgement] !== one.event || app.isFinal(one.judgement) !== one.final)
      const open = ['pending', 'uploading', 'synced', 'conflict', 'failed', 'resolved'].filter(status => app.isOpen(status))
      done({count: vectors.moves.length, moved, judged, open: JSON.stringify(open) === JSON.stringify(vectors.open)})
      """
    )
    #expect(found["moved"]?.array == [])
    #expect(found["judged"]?.array == [])
    #expect(found["open"] == true)
    #expect(try #require(found["count"]?.integer) > 200)
  }

  @Test func `a condition has the value that PostgreSQL gives it`() async throws {
    let found = try await Self.differences(
      "conditions.json",
      "rules.js",
      "done({count: vectors.conditions.length, wrong: vectors.conditions.filter(({when, row, is}) => app.evaluate(when, row) !== is)})"
    )
    #expect(found["wrong"]?.array == [])
    #expect(try #require(found["count"]?.integer) > 400)
  }

  @Test func `a number is read as the console reads it, in both languages`() async throws {
    let found = try await Self.differences(
      "numbers.json",
      "words.js",
      """
      const wrong = []
      const check = async (language, place) => {
        await app.speak(language)
        for (const row of vectors) if (app.read(row[0]) !== (row[place] === null ? null : Number(row[place]))) wrong.push([language, row[0]])
      }
      check('en', 1).then(() => check('sv', 2)).then(() => done({count: vectors.length, wrong}))
      """
    )
    #expect(found["wrong"]?.array == [])
    #expect(try #require(found["count"]?.integer) > 20)
  }

  @Test func `what the app offers is what the server allows, for every type and role`() async throws {
    // What a device cannot send, whatever the rights, and what is not paid for, is refused by the app in addition.
    let found = try await Self.differences(
      "rules.json",
      "rules.js",
      """
      const types = new Map(vectors.types.map(type => [type.name, {...type, entitled: undefined, sync: undefined}]))
      const same = (a, b) => JSON.stringify([...a].sort()) === JSON.stringify([...b].sort())
      const wrong = vectors.cases.filter(one => {
        const type = types.get(one.type)
        const may = app.rights({id: one.me, permissions: one.permissions}, type)
        const offered = may.transitions(one.record)
        const unsure = offered.filter(step => step.isUnsure).map(step => step.name)
        return !same(offered.filter(step => !step.isUnsure).map(step => step.name), one.transitions.filter(name => !unsure.includes(name)))
          || !same(type.columns.filter(column => may.mayEdit(one.record, column.name)).map(column => column.name), one.fields)
          || may.mayDelete(one.record) !== one.delete || may.mayCreate !== (one.create && type.create === true)
      })
      done({count: vectors.cases.length, wrong})
      """
    )
    #expect(found["wrong"]?.array == [])
    #expect(try #require(found["count"]?.integer) > 400)
  }
}
