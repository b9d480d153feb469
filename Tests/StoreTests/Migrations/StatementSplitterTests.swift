import Store
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct StatementSplitterTests {
  private func texts(_ script: String) -> [String] { StatementSplitter.split(script).map(\.text) }

  @Test func `statements are cut at semicolons and know the line they begin on`() {
    let statements = StatementSplitter.split(
      "select 1;\n\n-- a comment; with a semicolon\nselect\n  2;\nselect 3"
    )
    #expect(statements.map(\.text) == ["select 1", "select\n  2", "select 3"])
    #expect(statements.map(\.line) == [1, 4, 6])
  }

  @Test(arguments: [
    "select 'a;b', 'it''s; so'",
    #"select E'a\';b', e'\\', 1"#,
    #"select "a;b", "say ""x;"" ""#,
    "select $$ a; b $$, $tag$ $$ ; $other$ ; $tag$",
    #"select 'a\'"#,
    "select name'x;y'",
  ])
  func `a semicolon inside quotes belongs to the statement`(_ statement: String) {
    #expect(texts("\(statement);select 2") == [statement, "select 2"])
  }

  @Test func `a letter e that ends a word does not make a backslash escape`() {
    #expect(texts(#"select some'a\'; select 2"#) == [#"select some'a\'"#, "select 2"])
  }

  @Test func `comments are dropped, nested ones as a whole, and may hold quotes and semicolons`() {
    #expect(texts("/* a; /* b; */ don't */ select 1; -- it's;\nselect 2") == ["select 1", "select 2"])
    #expect(texts("select 1 /* between; */ + 2").map { $0.filter { $0 != " " } } == ["select1+2"])
  }

  @Test func `a parameter or an identifier with a dollar opens no quotation`() {
    #expect(
      texts("select $1; select a$b$c from t; select 2") == ["select $1", "select a$b$c from t", "select 2"]
    )
  }

  @Test func `a body from begin atomic to its end is one statement, with cases inside`() {
    let function = """
      create function f(x int) returns int language sql
      begin atomic
        select case when x > 1 then 1 else case x when 0 then 2 end end;
        select 2;
      END
      """
    #expect(texts("\(function);\nselect 3;") == [function, "select 3"])
  }

  @Test func `begin alone opens no body`() {
    #expect(texts("begin; select 1; end; select 2") == ["begin", "select 1", "end", "select 2"])
  }

  @Test func `nothing but comments and white space is no statement`() {
    #expect(texts(" ;; -- nothing\n/* here */ ;\n").isEmpty)
  }

  @Test func `an unterminated body is one statement to the end of the file`() {
    #expect(texts("select 'a; b") == ["select 'a; b"])
    #expect(texts("select $$ a; b") == ["select $$ a; b"])
    #expect(texts("select 1 /* a; b").count == 1)
  }
}
