-- A key from a sequence: it reveals how much others write, and two nodes cannot share it.
create sequence core.planted;
