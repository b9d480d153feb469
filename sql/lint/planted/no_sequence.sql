-- A key from a counter: it tells how much others write, and two nodes cannot share it.
create sequence core.planted;
